import Glibc

/// An open file of `/dev` whose bytes come when the device has them.
final class DeviceNode {
    private let file: SystemFile
    private let descriptor: Int32

    /// - Throws: `gone` when the device is not there, `unreadable` when it may not be opened or
    ///   somebody else has it.
    init(_ path: String) throws(SensorError) {
        file = SystemFile(path)
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw file.failure(errno) }
    }

    deinit { close(descriptor) }

    /// What there is, at most `limit` bytes; waits for something until the time is over.
    ///
    /// - Throws: `gone` at the end of what the device sends.
    func read(atMost limit: Int, waiting time: Duration) throws(SensorError) -> [UInt8] {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let wait = Int32(clamping: Int(time / .milliseconds(1)))
        guard poll(&event, 1, wait) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = bytes.withUnsafeMutableBytes {
            Glibc.read(descriptor, $0.baseAddress, $0.count)
        }
        guard count != 0 else { throw SensorError(.gone, "\(file.path) sends nothing any more") }
        guard count > 0 else {
            if errno == EAGAIN || errno == EINTR { return [] }
            throw file.failure(errno)
        }
        bytes.removeLast(limit - count)
        return bytes
    }
}
