import Glibc

/// The bound that the disk sets.
enum Disk {
    /// The number of 4 KiB blocks a second that can be written one by one, each synced before the next; not a
    /// number if no file can be written.
    static func synchronisations(_ folder: String) async throws -> Double {
        let descriptor = open(folder + "/sync", O_CREAT | O_RDWR, 0o600)
        guard descriptor >= 0 else { return .nan }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 7, count: 4096)
        let taken = await seconds {
            for _ in 0..<200 {
                _ = write(descriptor, block, block.count)
                fdatasync(descriptor)
            }
        }
        return 200 / taken
    }
}
