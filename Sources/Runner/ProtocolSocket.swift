import Glibc
import RunnerProtocol

/// The connection to the host.
struct ProtocolSocket: ~Copyable {
    /// Why the host cannot be spoken to any more.
    enum Lost: Error {
        case closed
        case notAFrame
    }

    /// Bytes taken at once; every page of it that is touched stays with the process.
    private static let piece = 8 << 10

    private let descriptor: Int32
    private var reader = FrameReader<HostFrame>()

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether the descriptor is one end of a connected Unix stream socket.
    var isConnected: Bool {
        Self.isUnix(descriptor, SOCK_STREAM) && Self.option(SO_ACCEPTCONN, descriptor) == 0
    }

    /// Whether a descriptor is a Unix socket that keeps packets apart.
    static func isPacketSocket(_ descriptor: Int32) -> Bool {
        isUnix(descriptor, SOCK_SEQPACKET)
    }

    /// Waits until the host has sent something or `milliseconds` are over; -1 waits for ever.
    func waitForFrames(milliseconds: Int32) -> Bool {
        wait(for: POLLIN, milliseconds: milliseconds)
    }

    /// Takes what has arrived; `next` then gives the frames.
    mutating func receive() throws(Lost) {
        let count = withUnsafeTemporaryAllocation(byteCount: Self.piece, alignment: 16) { buffer in
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
                // The host waits when the reader of the console does; when it is gone, this ends.
                _ = TurnLimit.pausing { wait(for: POLLOUT, milliseconds: -1) }
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

    private static func isUnix(_ descriptor: Int32, _ type: __socket_type) -> Bool {
        option(SO_DOMAIN, descriptor) == AF_UNIX
            && option(SO_TYPE, descriptor) == Int32(type.rawValue)
    }

    private static func option(_ name: Int32, _ descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }
}
