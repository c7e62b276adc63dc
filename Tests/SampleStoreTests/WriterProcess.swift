import Foundation
import TestSupport

/// The process that works on a store for a test to watch or to kill.
struct WriterProcess {
    static let executable = URL(filePath: BuiltProgram.path("store-writer"))

    /// Whether this system lets a process mount a file system that only it can see.
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

    /// A process that does its work in a folder on a disk of its own.
    ///
    /// - Parameter size: of the disk, as `mount` takes it.
    init(_ work: String, in folder: TemporaryStore, onDiskOf size: String) throws {
        let script = #"mount -t tmpfs -o size="$1" none "$2" && exec "$3" "$4" "$2""#
        try self.init(
            URL(filePath: "/usr/bin/env"),
            [
                "unshare", "-rm", "sh", "-c", script, "sh", size, folder.folder.path(),
                Self.executable.path(), work,
            ])
    }

    /// Kills the process after it has printed some lines, at a moment of its own choosing.
    ///
    /// - Returns: every whole line that it printed.
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
