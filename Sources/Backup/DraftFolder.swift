import Files
import Foundation
import Glibc

/// A folder for unfinished content, which only its owner can open.
///
/// A process that dies leaves the folder behind. The next process that needs a folder of this name removes
/// it, unless another process holds its lock.
enum DraftFolder {
    /// Makes the folder, and removes it with everything in it when `body` has returned or thrown.
    ///
    /// - Parameter names: the names of the entries that the folder may get. A folder of an earlier process
    ///   that has other entries is not removed, but reported with `exists`.
    /// - Throws: `busy` if another process uses it, `exists` if it is not a draft, `cannotWrite`; what
    ///   `body` throws.
    static func with<Result>(
        _ path: String, names: Set<String>, _ body: () async throws -> Result
    ) async throws -> Result {
        try removeLeftover(path, names)
        guard mkdir(path, 0o700) == 0 else {
            throw BackupError(errno, .cannotWrite, "Cannot write", path)
        }
        let descriptor = lock(path)
        guard descriptor >= 0 else { throw busy(path) }
        defer {
            remove(path)
            close(descriptor)
        }
        return try await body()
    }

    /// Removes a folder and everything in it, including read-only folders; follows no link.
    private static func remove(_ path: String) {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return }
        guard facts.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        chmod(path, 0o700)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names { remove("\(path)/\(name)") }
        rmdir(path)
    }

    private static func removeLeftover(_ path: String, _ names: Set<String>) throws(BackupError) {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return }
        let found = try? FileManager.default.contentsOfDirectory(atPath: path)
        guard PrivateFolder.fault(of: path) == nil, let found, names.isSuperset(of: found) else {
            throw BackupError(
                .exists, "\(path) already exists, but a temporary folder of this name is needed.",
                hint: "Remove it or choose another name.")
        }
        let descriptor = lock(path)
        guard descriptor >= 0 else { throw busy(path) }
        remove(path)
        close(descriptor)
    }

    private static func lock(_ path: String) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return descriptor }
        close(descriptor)
        return -1
    }

    private static func busy(_ path: String) -> BackupError {
        BackupError(
            .busy, "Another process writes to \(path).", hint: "Wait until it has finished.")
    }
}
