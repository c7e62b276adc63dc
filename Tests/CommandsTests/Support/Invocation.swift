import Foundation
import TestSupport

/// The output and the end of a command.
struct Invocation {
    let code: Int32
    let output: String
    let errors: String

    /// A program that did not end, and its output until then.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program to its end, with nothing on its standard input.
    ///
    /// - Throws: ``Failure`` if it takes longer than `Program.patience`.
    init(
        _ program: String, _ arguments: [String], environment: [String: String],
        directory: String? = nil
    ) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Files, because a full pipe would stop the program.
        let files = ["out", "err"].map { "\(folder)/\($0)" }
        let process = try Program(
            program, arguments, environment: environment, directory: directory,
            output: .file(files[0]), errors: .file(files[1]))
        do {
            code = try process.wait()
        } catch {
            let texts = try files.map {
                String(decoding: try Data(contentsOf: URL(filePath: $0)), as: UTF8.self)
            }
            throw Failure(
                description: "\(error)\nit printed:\n\(texts[0])\nand as errors:\n\(texts[1])")
        }
        output = try String(contentsOfFile: files[0], encoding: .utf8)
        errors = try String(contentsOfFile: files[1], encoding: .utf8)
    }
}

extension Sandbox {
    /// Runs `nervous` with these arguments.
    func nervous(_ arguments: String...) throws -> Invocation {
        try nervous(arguments)
    }

    func nervous(_ arguments: [String]) throws -> Invocation {
        try Invocation(Binary.nervous, arguments, environment: environment)
    }

    /// Waits until the host has the first sample.
    func awaitSample(of sensor: String) throws {
        try waitUntil {
            let query = try nervous("query", sensor, "--limit", "1", "--json")
            return query.output.contains(#""t":"#)
        }
    }

    /// Runs `curl`, which prints the status on a line of its own after the body.
    func curl(_ arguments: String...) throws -> (status: Int, body: String) {
        try curl(arguments)
    }

    func curl(_ arguments: [String]) throws -> (status: Int, body: String) {
        let call = try Invocation(
            "/usr/bin/curl", ["-s", "--max-time", "540", "-w", "\n%{http_code}"] + arguments,
            environment: environment)
        let lines = call.output.split(separator: "\n", omittingEmptySubsequences: false)
        return (
            Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n")
        )
    }
}
