import Foundation
import Resources
import TestSupport

@testable import Provider

/// Debian's TypeScript in a temporary folder with the typings that the host serves.
struct TypeScript {
    /// A diagnostic: the line of a file and the code of its error.
    struct Fault: Hashable {
        let line: Int
        let code: String
    }

    struct Failed: Error {
        let text: String
    }

    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Typings")

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "typings-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(SDK.typings).write(to: folder.appending(path: "nervous.d.ts"))
        for (name, content) in AppTemplate.files where name == "nervous-test.d.ts" {
            try Data(content.bytes).write(to: folder.appending(path: name))
        }
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The lines of a file of the tests.
    static func lines(_ file: String) throws -> [String] {
        try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            .components(separatedBy: "\n")
    }

    /// Checks a file of the tests in strict mode.
    func faults(_ file: String) throws -> [Fault] {
        try FileManager.default.copyItem(
            at: Self.sources.appending(path: file), to: folder.appending(path: file))
        let options = """
            {"compilerOptions": {"noEmit": true, "strict": true, "noUncheckedIndexedAccess": true,
             "target": "es2022", "module": "es2022", "lib": ["es2022", "dom"], "types": []}, "files": ["\(file)"]}
            """
        try options.write(
            to: folder.appending(path: "tsconfig.json"), atomically: true, encoding: .utf8)
        let (code, output) = try run("/usr/bin/tsc", "-p", ".", "--pretty", "false")
        let faults = output.matches(of: /(?m)^[a-z.]+\(([0-9]+),[0-9]+\): error (TS[0-9]+):/)
            .compactMap { match in Int(match.1).map { Fault(line: $0, code: String(match.2)) } }
        guard faults.isEmpty == (code == 0) else { throw Failed(text: output) }
        return faults
    }

    /// The declarations of the typings: the names of the members of each type, and of the globals.
    func names() throws -> [String: Set<String>] {
        let script = Self.sources.appending(path: "names.js").path(percentEncoded: false)
        let (code, output) = try run("/usr/bin/node", script, "nervous.d.ts")
        guard code == 0 else { throw Failed(text: output) }
        return try JSONDecoder().decode([String: Set<String>].self, from: Data(output.utf8))
    }

    private func run(
        _ program: String, _ arguments: String...
    ) throws -> (code: Int32, output: String) {
        // The path in Debian, also for other versions of Node.
        let variables = ["PATH": "/usr/bin:/bin", "NODE_PATH": "/usr/share/nodejs"]
        let process = try Program(
            program, arguments, environment: variables,
            directory: folder.path(percentEncoded: false), output: .pipe, errors: .pipe)
        let bytes = try process.readToEnd()
        return (try process.wait(), String(decoding: bytes, as: UTF8.self))
    }
}
