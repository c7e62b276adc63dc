import Foundation

/// An executable script of a test.
enum Script {
    /// Writes a script for `/bin/sh`.
    ///
    /// Another process writes the file: a program that a parallel test starts meanwhile could inherit a
    /// descriptor of this process that is open for writing, and the kernel would not execute the file
    /// ("Text file busy").
    static func write(_ lines: String, to path: String) throws {
        let source = path + ".source"
        try "#!/bin/sh\n\(lines)\n".write(toFile: source, atomically: true, encoding: .utf8)
        let copy = try Invocation(
            "/usr/bin/install", ["-m", "755", source, path], environment: [:])
        guard copy.code == 0 else { throw Invocation.Failure(description: copy.errors) }
        try FileManager.default.removeItem(atPath: source)
    }
}
