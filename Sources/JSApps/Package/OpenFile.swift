import Glibc

/// An open file that closes itself.
struct OpenFile: ~Copyable {
    let descriptor: Int32

    /// Takes over a descriptor.
    init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether this is a plain file and no folder, pipe or device.
    func isRegular() throws(SystemError) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last("stat") }
        return status.st_mode.isRegularFile
    }

    /// Reads to the end; more than `limit` bytes come back as one byte more than the limit.
    func read(atMost limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let wanted = min(buffer.count, limit + 1 - bytes.count)
            let count = Glibc.read(descriptor, &buffer, wanted)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last("read") }
            guard count > 0 else { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    func write(_ bytes: [UInt8]) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last("write") }
            written += count
        }
    }

    func setMode(_ mode: mode_t) throws(SystemError) {
        guard fchmod(descriptor, mode) == 0 else { throw .last("fchmod") }
    }

    func sync() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw .last("fsync") }
    }
}

extension mode_t {
    var isRegularFile: Bool { self & S_IFMT == S_IFREG }
    var isFolder: Bool { self & S_IFMT == S_IFDIR }
    /// Whether it has the set-user, set-group or sticky bit.
    var isSpecial: Bool { self & 0o7000 != 0 }
}
