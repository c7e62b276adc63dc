import Glibc
import RunnerProtocol

/// The connection to the host.
struct ProtocolSocket: ~Copyable {
    /// Why the host cannot be spoken to any more.
    enum Lost: Error {
        case closed
        case stalled
        case notAFrame
    }

    /// How long the host may leave a frame in the pipe before it counts as gone.
    private static let patience: Int32 = 30_000

    private let descriptor: Int32
    private var reader = FrameReader<HostFrame>()

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether the descriptor is one end of a connected Unix stream socket.
    var isConnected: Bool {
        option(SO_DOMAIN) == AF_UNIX && option(SO_TYPE) == Int32(SOCK_STREAM.rawValue)
            && option(SO_ACCEPTCONN) == 0
    }

    /// Waits until the host has sent something or `milliseconds` are over; -1 waits for ever.
    func waitForFrames(milliseconds: Int32) -> Bool {
        wait(for: POLLIN, milliseconds: milliseconds)
    }

    /// Takes what has arrived; `next` then gives the frames.
    mutating func receive() throws(Lost) {
        let count = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
            let count = recvBytes(buffer)
            if count > 0 { reader.append(buffer[..<count]) }
            return count
        }
        guard count != 0 else { throw .closed }
        guard count > 0 || errno == EINTR || errno == EAGAIN else { throw .closed }
    }

    mutating func next() throws(Lost) -> HostFrame? {
        do throws(FrameError) {
            return try reader.next()
        } catch {
            throw .notAFrame
        }
    }

    /// Hands a whole frame to the kernel; nothing is ever kept here.
    func send(_ frame: RunnerFrame) throws(Lost) {
        let bytes = frame.encoded()
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent)
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                guard wait(for: POLLOUT, milliseconds: Self.patience) else { throw .stalled }
            } else if errno != EINTR {
                throw .closed
            }
        }
    }

    /// Makes `send` and `receive` return instead of waiting without bound.
    func stopBlocking() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    private func recvBytes(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        read(descriptor, buffer.baseAddress, buffer.count)
    }

    private func wait(for event: Int32, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    private func option(_ name: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }
}
