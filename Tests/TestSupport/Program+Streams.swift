import CProcess
import Foundation
import Glibc

extension Program {
    /// The standard input of a program.
    public enum Input: Sendable {
        /// Empty.
        case nothing
        /// That of the test.
        case inherited
        /// A text.
        case text(String)
        /// Written with ``Program/write(_:atMost:)`` and closed with ``Program/endInput()``.
        case pipe
    }

    /// Where a program's standard output or standard error goes.
    public enum Output: Sendable {
        case nothing
        /// That of the test.
        case inherited
        /// To ``Program/read(atMost:until:)``; output and errors share one pipe.
        case pipe
        /// To a file, which is truncated first.
        case file(String)
    }

    /// Both ends of a program's standard streams.
    struct Streams {
        /// The program's descriptors 0, 1 and 2.
        let theirs: [FileHandle]
        let input: FileHandle?
        let output: FileHandle?

        init(_ input: Input, _ output: Output, _ errors: Output) throws {
            let source = try Self.open(input)
            let usesPipe = [output, errors].contains { if case .pipe = $0 { true } else { false } }
            let sink = try Self.pipe()
            theirs = [
                source.theirs, try Self.open(output, 1, sink.writing),
                try Self.open(errors, 2, sink.writing),
            ]
            (self.input, self.output) = (source.ours, usesPipe ? sink.reading : nil)
        }

        private static func open(_ input: Input) throws -> (theirs: FileHandle, ours: FileHandle?) {
            switch input {
            case .nothing: return (try file("/dev/null", O_RDONLY), nil)
            case .inherited: return (FileHandle(fileDescriptor: 0, closeOnDealloc: false), nil)
            case .text(let text):
                // A file rather than a pipe: the program may leave some of it unread.
                let path = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
                let file = try file(path, O_RDWR | O_CREAT | O_EXCL)
                unlink(path)
                try file.write(contentsOf: Data(text.utf8))
                try file.seek(toOffset: 0)
                return (file, nil)
            case .pipe:
                let pipe = try pipe()
                let number = pipe.writing.fileDescriptor
                _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
                return (pipe.reading, pipe.writing)
            }
        }

        private static func open(
            _ output: Output, _ number: Int32, _ pipe: FileHandle
        ) throws -> FileHandle {
            switch output {
            case .nothing: try file("/dev/null", O_WRONLY)
            case .pipe: pipe
            case .inherited: FileHandle(fileDescriptor: number, closeOnDealloc: false)
            case .file(let path): try file(path, O_WRONLY | O_CREAT | O_TRUNC)
            }
        }

        private static func file(_ path: String, _ flags: Int32) throws -> FileHandle {
            let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }

        private static func pipe() throws -> (reading: FileHandle, writing: FileHandle) {
            var ends: [Int32] = [-1, -1]
            let failure = nervous_process_pipe(&ends)
            guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
            return (
                FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
                FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
            )
        }
    }
}
