import Foundation

/// The file of a trace, which has its name once it is whole.
final class TraceFile {
    private let path: String
    private let part: String
    private let handle: FileHandle

    /// - Throws: `CommandFailure` with code `cannotCreate`.
    init(_ path: String) throws {
        self.path = path
        part = "\(path).part"
        guard
            FileManager.default.createFile(
                atPath: part, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: part)
        else {
            throw CommandFailure(
                .cannotCreate, "Cannot write \(path).", hint: "Choose another place with --output.")
        }
        self.handle = handle
    }

    func write(_ line: String) throws {
        try handle.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Gives the file its name, in place of one that is there.
    func finish() throws {
        try handle.close()
        guard rename(part, path) == 0 else {
            throw CommandFailure(
                .cannotCreate, "Cannot write \(path).", hint: "Choose another place with --output.")
        }
    }

    deinit { unlink(part) }
}
