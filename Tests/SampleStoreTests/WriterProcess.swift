import Foundation
import TestSupport

/// A process that writes to a store and can be watched or killed.
struct WriterProcess {
    static let executable = URL(filePath: BuiltProgram.path("store-writer"))

    /// Whether this system allows private mounts.
    static let canMount: Bool = {
        let probe = try? WriterProcess(
            URL(filePath: "/bin/sh"),
            ["-c", "unshare -rm mount -t tmpfs none /mnt 2>/dev/null && echo yes"])
        return (try? probe?.lines()) == ["yes"]
    }()

    private let program: Program

    init(_ executable: URL, _ arguments: [String]) throws {
        program = try Program(executable.path(), arguments, output: .pipe, errors: .inherited)
    }

    /// A process whose folder is on its own file system.
    ///
    /// - Parameter size: of the file system, as an option of `mount`.
    init(_ work: String, in folder: TemporaryStore, onDiskOf size: String) throws {
        let script = #"mount -t tmpfs -o size="$1" none "$2" && exec "$3" "$4" "$2""#
        try self.init(
            URL(filePath: "/usr/bin/env"),
            [
                "unshare", "-rm", "sh", "-c", script, "sh", size, folder.folder.path(),
                Self.executable.path(), work,
            ])
    }

    /// Kills the process at a random moment after it has printed some lines.
    ///
    /// - Returns: every complete line that it printed.
    func lines(killedAfter count: Int) throws -> [String] {
        var bytes = try program.read { $0.count(where: { $0 == 0x0A }) >= count }
        program.signal(SIGKILL)
        bytes += try program.readToEnd()
        try program.wait()
        let text = String(decoding: bytes, as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map(String.init)
    }

    /// Everything the process prints until it ends.
    func lines() throws -> [String] {
        let bytes = try program.readToEnd()
        try program.wait()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
