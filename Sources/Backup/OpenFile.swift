import Crypto
import Files
import Glibc
import Text

/// An open file, which is closed when this value ends; every call blocks.
struct OpenFile: ~Copyable {
    /// The bytes that are read or written at a time.
    static let blockSize = 1 << 20

    let path: String
    private let descriptor: Int32

    private init(path: String, descriptor: Int32) {
        (self.path, self.descriptor) = (path, descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// Opens an existing file for reading; does not wait for a writer if it is a named pipe.
    static func reading(_ path: String) throws(BackupError) -> OpenFile {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw BackupError(errno, .unreadable, "Cannot read", path) }
        return OpenFile(path: path, descriptor: descriptor)
    }

    /// Creates a file with mode 0600.
    ///
    /// - Throws: `exists` if anything of this name exists.
    static func creating(_ path: String) throws(BackupError) -> OpenFile {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw BackupError(errno, .cannotWrite, "Cannot write", path) }
        return OpenFile(path: path, descriptor: descriptor)
    }

    /// The path without symbolic links; `nil` if nothing exists there.
    static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Size, mode and times.
    var facts: stat {
        get throws(BackupError) {
            var facts = stat()
            guard fstat(descriptor, &facts) == 0 else {
                throw BackupError(errno, .unreadable, "Cannot read", path)
            }
            return facts
        }
    }

    func write(_ bytes: some Collection<UInt8>) throws(BackupError) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw BackupError(errno, .cannotWrite, "Cannot write", path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Up to `limit` bytes; less only at the end of the file.
    func read(_ limit: Int) throws(BackupError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            while filled < limit {
                let rest = UnsafeMutableRawBufferPointer(buffer)[filled...]
                let count = Glibc.read(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: rest).baseAddress,
                    rest.count)
                if count < 0, errno == EINTR { continue }
                if count < 0 { failure = errno }
                guard count > 0 else { break }
                filled += count
            }
        }
        guard failure == 0 else { throw BackupError(failure, .unreadable, "Cannot read", path) }
        return bytes
    }

    /// Reads to the end of the file.
    ///
    /// - Parameter body: called with each block.
    /// - Throws: `CancellationError`, ``BackupError``, and what `body` throws.
    func readAll(_ body: ([UInt8]) throws -> Void) throws {
        while true {
            try Task.checkCancellation()
            let block = try read(Self.blockSize)
            guard !block.isEmpty else { return }
            try body(block)
        }
    }

    /// Flushes the file to the disk, and lets the system forget its pages, so that later reads come from
    /// the disk.
    func sync() throws(BackupError) {
        guard fsync(descriptor) == 0 else {
            throw BackupError(errno, .cannotWrite, "Cannot write", path)
        }
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
}

extension BackupError {
    /// The failure described by a number of `errno`.
    init(_ number: Int32, _ otherwise: Code, _ action: String, _ path: String) {
        let code: Code =
            switch number {
            case ENOSPC, EDQUOT: .diskFull
            case ENOENT where otherwise == .unreadable: .missing
            case EEXIST, ENOTEMPTY: .exists
            default: otherwise
            }
        let hint: String? =
            switch code {
            case .diskFull: "Free some space, or use another disk."
            case .exists: "Remove it or choose another name."
            default: nil
            }
        self.init(code, "\(action) \(path): \(String(cString: strerror(number))).", hint: hint)
    }

    /// The failure of an operation on files.
    init(_ error: FilesError) {
        self.init(
            error.code == .diskFull ? .diskFull : .cannotWrite, error.message, hint: error.hint,
            cause: error)
    }
}

/// The length and the SHA-256 of content that is processed in blocks.
struct ContentDigest {
    private(set) var count: Int64 = 0
    private var hash = SHA256()

    mutating func add(_ block: [UInt8]) {
        count += Int64(block.count)
        hash.update(data: block)
    }

    /// 64 hexadecimal digits.
    func finish() -> String { hash.finalize().hexadecimal }
}
