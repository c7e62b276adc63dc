import Foundation
import TestSupport

/// A call with the real `curl`, like other programs.
struct Curl {
    static let program = "/usr/bin/curl"
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    /// The HTTP status; 0 without a response.
    let status: Int
    let answer: Answer

    /// Sends a body.
    ///
    /// - Parameter options: the arguments before the URL.
    init(
        _ host: ServedHost, _ path: String, _ options: [String] = [], body: [UInt8]
    ) async throws {
        let name = UUID().uuidString
        let (input, output) = (
            host.folder.appending(path: "\(name).body"), host.folder.appending(path: name)
        )
        try Data(body).write(to: input)
        let arguments =
            ["-sS", "-i", "--noproxy", "*", "--max-time", "540"] + options
            + [
                "--data-binary", "@\(input.path)", "-o", output.path,
                "http://localhost:\(host.port)\(path)",
            ]
        let code = try await Program(Self.program, arguments, errors: .inherited).wait()
        guard code == 0 else { throw Answer.NotHTTP(text: "curl ended with \(code)") }
        answer = try Answer(parsing: Array(Data(contentsOf: output)))
        status = answer.status
    }

    /// What `curl` prints when another user runs it.
    static func output(as user: Int, _ arguments: [String]) async throws -> String {
        let file = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: file) }
        let words = [
            "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", program, "-sS",
            "--noproxy", "*", "--max-time", "540",
        ]
        let code = try await Program(
            "/usr/bin/setpriv", words + arguments, output: .file(file), errors: .inherited
        ).wait()
        guard code == 0 else { throw Answer.NotHTTP(text: "curl ended with \(code)") }
        return try String(contentsOfFile: file, encoding: .utf8)
    }
}
