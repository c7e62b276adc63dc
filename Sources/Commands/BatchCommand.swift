import API
import ArgumentParser
import Foundation
import Host
import Text

/// Makes several calls of the API in one.
struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Make several calls of the HTTP API in one.",
        discussion: """
            The calls are lines such as GET /api/v1/sensors/cpu/latest, of which GET can be
            left out, or the JSON that POST /api/v1/batch accepts. Each answer is printed
            with its status; with --json, all are printed as the host sent them. The exit
            code is 1 if a call failed.

            Examples:
              nervous batch calls.txt
              printf '/api/v1/sensors/%s/latest\\n' cpu load | nervous batch -
              echo '[{"method": "GET", "path": "/api/v1/alerts"}]' | nervous batch -
            """)

    /// The maximum that the host accepts.
    private static let byteLimit = 1 << 20
    private static let longestBody = 100_000

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "A file with the calls; - for standard input.", completion: .file())
    var file: String

    func run() async throws {
        let calls = try Self.calls(in: try read())
        try await HostSession.with(options.host) { session in
            let reply = try await Self.send(calls, session)
            let answers = try reply.value.items
            if options.json {
                options.console.print(json: reply.json)
            } else {
                for (call, answer) in zip(calls, answers) { show(answer, to: call) }
            }
            let failed = answers.count { $0.status >= 400 }
            guard failed > 0 else { return }
            throw CommandFailure(
                .failed, "\(failed) of \(answers.count) calls failed.", type: "call-failed")
        }
    }

    private static func send(
        _ calls: [JSONValue], _ session: HostSession
    ) async throws -> APIReply<ItemList<BatchAnswer>> {
        do {
            return try await session.client.batch(JSONValue(calls))
        } catch let error as APIError where error.code == .invalidBody {
            // The calls come from the file, so the data is wrong and not the use of the command.
            let failure = CommandFailure(error)
            throw CommandFailure(
                .badData, failure.message, hint: failure.hint, type: failure.type)
        }
    }

    private func show(_ answer: BatchAnswer, to call: JSONValue) {
        let (method, path) = (call["method"]?.string ?? "GET", call["path"]?.string ?? "")
        let console = options.console
        console.show("\(method) \(path): \(answer.status)", limit: 2000)
        if let body = answer.body?.line ?? answer.text {
            console.show(body, limit: Self.longestBody)
        }
    }

    private func read() throws -> Data {
        let data: Data?
        if file == "-" {
            data = try FileHandle.standardInput.read(upToCount: Self.byteLimit + 1)
        } else {
            guard let handle = FileHandle(forReadingAtPath: file) else {
                throw CommandFailure(.noInput, "Cannot read \(file.escapedForDisplay(limit: 200)).")
            }
            data = try handle.read(upToCount: Self.byteLimit + 1)
        }
        let found = data ?? Data()
        guard found.count <= Self.byteLimit else {
            throw CommandFailure(.badData, "A batch has at most 1 MiB.")
        }
        return found
    }

    /// The calls of a list, of an object with a list, or of lines; the host checks their members.
    static func calls(in data: Data) throws(CommandFailure) -> [JSONValue] {
        let text = String(decoding: data, as: UTF8.self)
        let calls: [JSONValue]?
        if let first = text.first(where: { !$0.isWhitespace }), "{[".contains(first) {
            do throws(JSONSyntaxError) {
                let json = try StrictJSON(maximumBytes: byteLimit).parse(Array(data))
                calls = json.array ?? json["calls"]?.array
            } catch {
                throw CommandFailure(
                    .badData, "The batch is invalid at \(error.position): \(error.message).")
            }
        } else {
            calls = text.split(whereSeparator: \.isNewline).map { line in
                let words = line.split(separator: " ", maxSplits: 1).map(String.init)
                let (method, path) = words.count > 1 ? (words[0], words[1]) : ("GET", words[0])
                return JSONValue(["method": JSONValue(method), "path": JSONValue(path)])
            }
        }
        guard let calls, !calls.isEmpty else {
            throw CommandFailure(
                .badData, "The batch has no calls.",
                hint: "Write one path such as /api/v1/sensors/cpu/latest on each line.")
        }
        return calls
    }
}
