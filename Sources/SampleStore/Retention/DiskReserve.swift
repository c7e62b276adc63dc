import Glibc

/// A file that holds room back on the disk.
///
/// To remove something, SQLite writes to its log first. When the disk is full, the reserve makes
/// room for that.
struct DiskReserve: Sendable {
    let path: String
    let size: Int64

    /// Takes the room where the disk has twice as much left.
    func take(free: Int64) {
        guard size > 0, SampleFile.size(of: path) < size, free > 2 * size else { return }
        let descriptor = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if posix_fallocate(descriptor, 0, off_t(size)) != 0 { unlink(path) }
    }

    /// - Returns: whether there was room to give.
    func give() -> Bool { unlink(path) == 0 }
}
