import Foundation
import RunnerProtocol

/// The results of a run of a page, or of its script; its files are served from memory.
struct PageRun {
    let run: RunOfApp
    /// The requested addresses, in order.
    let calls: [String]

    var lines: [String] { run.lines }
    var errors: [UncaughtError] { run.errors }

    /// The visible texts, in order.
    var views: [String] {
        run.frames.compactMap { if case .view(let text) = $0 { text } else { nil } }
    }

    var markup: String? {
        run.frames.compactMap { if case .markup(let text) = $0 { text } else { nil } }.first
    }

    /// Runs `files["app.html"]`, or `files["app.js"]` alone where `runsPage` is not set.
    ///
    /// A request for `shown` is answered when the run has reported a text.
    ///
    /// - Parameter lifetime: milliseconds after which the run ends, from its second text on: a busy machine may
    ///   need any time for the first.
    init(
        _ files: [String: String], runsPage: Bool = true, lifetime: UInt32? = nil,
        answer: @escaping (String, [UInt8]) -> String? = { _, _ in nil }
    ) throws {
        let frames =
            runsPage
            ? [HostFrame.page(name: "app.html")]
            : [.load(name: "app.js", source: files["app.js"] ?? "")]
        let first: [HostFrame] = [
            RunOfApp.limits, .present(text: true, markup: true),
            .load(name: "nervous:environment", source: "location = 'http://my-app.localhost/'"),
        ]
        var calls: [String] = []
        var texts = 0
        var waiting: [UInt32] = []
        run = try RunOfApp(frames: first + frames + [.loaded]) { frame, runner in
            switch frame {
            case .view:
                texts += 1
                if texts == 2, let lifetime { try runner.send(.lifetime(lifetime)) }
                for id in waiting { try Self.send("", status: 200, for: id, to: runner) }
                waiting = []
            case .library(let id, let library):
                try Self.send(Self.text(of: library), status: 200, for: id, to: runner)
            case .request(let id, _, let target, _, let body):
                calls.append(target)
                let prefix = "http://my-app.localhost/"
                guard target.hasPrefix(prefix) else {
                    return try runner.send(.failure(id: id, message: "elsewhere"))
                }
                let path = String(target.dropFirst(prefix.count))
                if path == "shown", texts == 0 { return waiting.append(id) }
                let found = answer(path, body) ?? files[path.isEmpty ? "app.html" : path]
                try Self.send(found ?? "", status: found == nil ? 404 : 200, for: id, to: runner)
            default: break
            }
        }
        self.calls = calls
    }

    /// A library as the build has bundled it.
    static func text(of library: RunnerLibrary) throws -> String {
        guard let path = Bundle.module.url(forResource: "\(library)", withExtension: "js") else {
            throw RunnerProcess.Failure("the library \(library) was not built: run make setup")
        }
        return try String(contentsOf: path, encoding: .utf8)
    }

    /// jQuery from Debian.
    static var jquery: String {
        get throws {
            try String(contentsOfFile: "/usr/share/javascript/jquery/jquery.js", encoding: .utf8)
        }
    }

    private static func send(
        _ text: String, status: UInt16, for id: UInt32, to runner: RunnerProcess
    ) throws {
        let bytes = Array(text.utf8)
        try runner.send(.response(id: id, status: status, headers: []))
        for start in stride(from: 0, to: bytes.count, by: FrameLimits.bodyPiece) {
            let piece = bytes[start..<min(bytes.count, start + FrameLimits.bodyPiece)]
            try runner.send(.body(id: id, bytes: Array(piece)))
        }
        try runner.send(.end(id: id))
    }
}
