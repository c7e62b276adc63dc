import Glibc

/// What statvfs(3) says about a mounted filesystem.
struct FilesystemUsage: Hashable, Sendable {
    /// Bytes in a block.
    var blockSize: UInt64
    var blocks: UInt64
    /// Blocks that nobody uses.
    var free: UInt64
    /// Free blocks that are not kept back for the superuser.
    var available: UInt64
    /// Inodes that nobody uses; 0 where the filesystem does not count them.
    var inodesFree: UInt64

    /// Asks the kernel; waits for as long as the filesystem takes to answer.
    static func ofMount(at point: String) throws(SensorError) -> FilesystemUsage {
        var answer = statvfs()
        guard statvfs(point, &answer) == 0 else { throw SystemFile(point).failure(errno) }
        return FilesystemUsage(
            blockSize: UInt64(answer.f_frsize), blocks: UInt64(answer.f_blocks),
            free: UInt64(answer.f_bfree), available: UInt64(answer.f_bavail),
            inodesFree: UInt64(answer.f_ffree))
    }
}
