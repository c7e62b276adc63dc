import Foundation
import Glibc
import RunnerProtocol
import TestSupport

/// A real runner with a socket on descriptor 3, started as by a supervisor.
///
/// The kernel ends it with the thread that started it, so a test works on one thread.
final class RunnerProcess {
    private let program: Program
    private let socket: Int32
    private var reader = FrameReader<RunnerFrame>()
    /// The largest observed resident size, in bytes.
    private(set) var peak = 0
    /// Its process number.
    var process: Int32 { program.pid }
    /// Milliseconds between two measurements of the resident size.
    private static let sampling: Int32 = 5

    init(_ program: String = "nervous-runner", arguments: [String] = []) throws {
        var ends: [Int32] = [-1, -1]
        guard
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { throw Failure("no socket pair") }
        defer { close(ends[1]) }
        do {
            self.program = try Program(
                BuiltProgram.path(program), arguments, environment: [:], more: [ends[1]])
        } catch {
            close(ends[0])
            throw error
        }
        socket = ends[0]
    }

    deinit {
        close(socket)
    }

    /// Sends frames at once: after the first of them the app may already have ended its run.
    func send(_ frames: HostFrame...) throws {
        try send(bytes: frames.flatMap { $0.encoded() })
    }

    func send(bytes: [UInt8]) throws {
        let sent = bytes.withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == bytes.count else { throw Failure("the runner does not take frames") }
    }

    /// The next frame; `nil` after the end of the runner.
    ///
    /// - Throws: if there is no frame in time.
    func next(within milliseconds: Int32 = 540_000) throws -> RunnerFrame? {
        while true {
            if let frame = try reader.next() { return frame }
            guard waits(milliseconds) else { throw Failure("no frame in time") }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = read(socket, &buffer, buffer.count)
            guard count > 0 else { return nil }
            reader.append(buffer[..<count])
        }
    }

    /// Whether there is no frame for that time.
    func isSilent(for milliseconds: Int32) -> Bool { !waits(milliseconds) }

    /// All frames until the end of the runner.
    func rest() throws -> [RunnerFrame] {
        var frames: [RunnerFrame] = []
        while let frame = try next() { frames.append(frame) }
        return frames
    }

    /// Waits for its end.
    func end() throws -> End {
        switch try program.ending() {
        case .exit(let code): .exit(code)
        case .signal(let number): .signal(number)
        }
    }

    func hangUp() { shutdown(socket, Int32(SHUT_RDWR)) }

    private func waits(_ milliseconds: Int32) -> Bool {
        BlockingExecutor.checkMayBlock("waiting for a runner")
        var left = milliseconds
        while left > 0 {
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, min(left, Self.sampling)) > 0 { return true }
            left -= Self.sampling
            peak = max(peak, residentPeak())
        }
        return false
    }

    /// The largest resident size so far in bytes; 0 after the end of the process.
    ///
    /// The peak of `wait4` would include the memory of the process that started it.
    private func residentPeak() -> Int {
        guard
            let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return 0 }
        return (Int(line.filter(\.isNumber)) ?? 0) * 1024
    }

    enum End: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    struct Failure: Error {
        let message: String

        init(_ message: String) { self.message = message }
    }
}

extension RunnerProcess {
    /// An app that waits for the answer to a synchronous request, and the number of that request.
    static func inSynchronousRequest() throws -> (RunnerProcess, id: UInt32) {
        let runner = try RunnerProcess()
        _ = try runner.next()
        try runner.send(
            .load(
                name: "app.js",
                source: "const x = new XMLHttpRequest(); x.open('GET', '/', false); x.send()"),
            .loaded)
        guard case .request(let id, _, _, _, _) = try runner.next() else {
            throw Failure("no request")
        }
        return (runner, id)
    }
}

/// The output of the options `--version` and `--probes`.
struct RunnerOutput {
    let lines: [String]
    let code: Int32

    init(arguments: [String]) throws {
        let runner = try Program(
            BuiltProgram.path("nervous-runner"), arguments, output: .pipe, errors: .inherited)
        let bytes = try runner.readToEnd()
        code = try runner.wait()
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
