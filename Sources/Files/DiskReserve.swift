import Glibc

/// A file that reserves space on the disk.
///
/// To delete rows, SQLite first has to write to its log. On a full disk the reserve is released to make room for
/// the log.
///
/// ```swift
/// let reserve = DiskReserve(path: path + "-reserve", size: 1 << 20)
/// reserve.allocate(free: DiskReserve.free(at: path))
/// ```
public struct DiskReserve: Sendable {
    /// Where the file is.
    public let path: String
    /// Its size in bytes.
    public let size: Int64

    /// - Parameter size: in bytes; 0 for no reserve.
    public init(path: String, size: Int64) {
        self.path = path
        self.size = size
    }

    /// Whether the space is reserved.
    public var isAllocated: Bool {
        var information = stat()
        return stat(path, &information) == 0 && Int64(information.st_size) >= size
    }

    /// Allocates the reserve if the disk has more free space than twice the size of the reserve.
    ///
    /// - Parameter free: the free bytes of the disk.
    public func allocate(free: Int64) {
        guard size > 0, !isAllocated, free > 2 * size else { return }
        let descriptor = open(path, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if posix_fallocate(descriptor, 0, off_t(size)) != 0 { unlink(path) }
    }

    /// Releases the space.
    ///
    /// - Returns: whether there was a reserve to release.
    public func release() -> Bool { unlink(path) == 0 }

    /// The free bytes, for this user, of the disk that a file is on; 0 when that is unknown.
    public static func free(at path: String) -> Int64 {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return 0 }
        return Int64(information.f_bavail) * Int64(information.f_frsize)
    }
}
