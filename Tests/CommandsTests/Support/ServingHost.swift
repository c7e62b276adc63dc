import Foundation
import TestSupport

/// `nervous serve` on a free port, ended by its process id.
final class ServingHost {
    let port: Int
    let pid: Int32
    private let process: Program

    struct DidNotStart: Error {
        let code: Int32
    }

    private struct Announcement: Decodable {
        let port: Int
        let pid: Int32
    }

    /// - Parameters:
    ///   - errors: the file that takes its standard error.
    ///   - environment: variables in addition to those of the sandbox.
    ///   - descriptors: how many files and connections it can have open.
    init(
        _ sandbox: Sandbox, _ arguments: [String] = [], errors: String? = nil,
        environment: [String: String] = [:], descriptors: Int? = nil
    ) throws {
        let command = [Binary.nervous, "serve", "--port", "0", "--json"] + arguments
        let limit = descriptors.map { ["/usr/bin/prlimit", "--nofile=\($0)", "--"] } ?? []
        let words = limit + command
        process = try Program(
            words[0], Array(words.dropFirst()),
            environment: sandbox.environment.merging(environment) { $1 }, output: .pipe,
            errors: errors.map { .file($0) } ?? .nothing)
        // The announcement is one line; the end of the output means that it failed.
        let line = try process.read { $0.contains(0x0A) }
        guard line.contains(0x0A) else { throw DidNotStart(code: try process.wait()) }
        let announcement = try JSONDecoder().decode(Announcement.self, from: line)
        (port, pid) = (announcement.port, announcement.pid)
    }

    func url(_ path: String, host: String = "localhost") -> String {
        "http://\(host):\(port)\(path)"
    }

    func kill(_ signal: Int32) {
        process.signal(signal)
    }

    /// Waits for its end.
    ///
    /// - Returns: the exit code; 128 and the signal when a signal ended it.
    func wait() throws -> Int32 {
        try process.wait()
    }
}
