import Files
import Glibc

/// The folder with everything that a host stores, locked while a host uses it.
///
/// The lock is an `flock`, so the kernel releases it however the process ends.
struct DataDirectory: ~Copyable {
    private let lock: Int32

    /// Creates the folder if it is missing, readable by its owner only, and takes the lock.
    init(locking path: String) throws(VirtualMachineError) {
        try Self.make(path)
        let file = path + "/host.lock"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Self.unusable(path, errno)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            let holder = Self.holder(descriptor)
            close(descriptor)
            guard reason == EWOULDBLOCK else { throw Self.unusable(path, reason) }
            let name = holder.map { "process \($0)" } ?? "another process"
            throw VirtualMachineError(
                .alreadyRunning, "A host already uses \(path): \(name).",
                hint: "Stop it first, or choose another directory with --data.", holder: holder)
        }
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count
        else {
            let reason = errno
            close(descriptor)
            throw Self.unusable(path, reason)
        }
        lock = descriptor
    }

    deinit {
        // A program that is being started may still have a copy of the descriptor, and with it of
        // the lock.
        flock(lock, LOCK_UN)
        close(lock)
    }

    private static func make(_ path: String) throws(VirtualMachineError) {
        do throws(FilesError) {
            try PrivateFolder.make(path)
        } catch {
            throw unusable(path, error.reason)
        }
        var information = stat()
        guard stat(path, &information) == 0 else { throw unusable(path, errno) }
        guard information.st_mode & S_IFMT == S_IFDIR else { throw unusable(path, ENOTDIR) }
        guard access(path, R_OK | W_OK | X_OK) == 0 else { throw unusable(path, errno) }
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text.prefix { $0 != 0x0A && $0 != 0 }, as: UTF8.self))
    }

    private static func unusable(_ path: String, _ number: Int32) -> VirtualMachineError {
        unusable(path, String(cString: strerror(number)))
    }

    private static func unusable(_ path: String, _ reason: String) -> VirtualMachineError {
        VirtualMachineError(
            .dataUnusable, "The data directory \(path) cannot be used: \(reason).",
            hint: "Choose a directory that you can write to, with --data DIR or NERVOUS_DATA.")
    }
}
