import Glibc
import RunnerProtocol

/// The connection to the host.
struct ProtocolSocket: ~Copyable {
    /// Why the connection cannot be used any more.
    enum Failure: Error {
        case closed
        case invalidFrame

        var exitStatus: Int32 {
            switch self {
            case .closed: 74
            case .invalidFrame: 76
            }
        }
    }

    /// Bytes read at once; every page of the buffer that is touched remains resident.
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

    /// Whether a descriptor is a Unix packet socket.
    static func isPacketSocket(_ descriptor: Int32) -> Bool {
        isUnix(descriptor, SOCK_SEQPACKET)
    }

    /// Waits until the host has sent something or `milliseconds` have passed; -1 waits without
    /// limit.
    func waitForFrames(milliseconds: Int32) -> Bool {
        wait(for: POLLIN, milliseconds: milliseconds)
    }

    /// Reads what has arrived; `next` then returns the frames.
    mutating func receive() throws(Failure) {
        let count = withUnsafeTemporaryAllocation(byteCount: Self.piece, alignment: 16) { buffer in
            let count = recvBytes(buffer)
            if count > 0 { reader.append(buffer[..<count]) }
            return count
        }
        guard count != 0 else { throw .closed }
        guard count > 0 || errno == EINTR || errno == EAGAIN else { throw .closed }
    }

    mutating func next() throws(Failure) -> HostFrame? {
        do throws(FrameError) {
            return try reader.next()
        } catch {
            throw .invalidFrame
        }
    }

    /// Writes a whole frame; nothing is buffered here.
    func send(_ frame: RunnerFrame) throws(Failure) {
        let bytes = frame.encoded()
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent)
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                // The host reads no frames while the terminal accepts no output; the app's turn
                // must not end because of that.
                _ = TurnLimit.pausing { wait(for: POLLOUT, milliseconds: -1) }
            } else if errno != EINTR {
                throw .closed
            }
        }
    }

    /// Makes reading and writing non-blocking.
    func makeNonBlocking() {
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

/// The frames from and to the host, in order; the process exits when the connection is lost.
final class HostChannel {
    private var socket: ProtocolSocket
    /// Frames received while the app waited for a response.
    private var deferred: [HostFrame] = []
    /// The number of frames received.
    private(set) var received: UInt64 = 0

    init(_ socket: consuming ProtocolSocket) {
        self.socket = socket
    }

    /// Prepares the socket, in the process that uses it.
    func begin() { socket.makeNonBlocking() }

    /// Whether frames wait that were received earlier.
    var hasDeferred: Bool { !deferred.isEmpty }

    func send(_ frame: RunnerFrame) {
        orExit { () throws(ProtocolSocket.Failure) in try socket.send(frame) }
    }

    /// Reads the frames that the host sends within `milliseconds`; -1 waits without limit.
    func wait(milliseconds: Int32) {
        orExit { () throws(ProtocolSocket.Failure) in
            if socket.waitForFrames(milliseconds: milliseconds) { try socket.receive() }
        }
    }

    /// The next frame, deferred ones first; `nil` until more is read.
    func next() -> HostFrame? {
        deferred.isEmpty ? nextReceived() : deferred.removeFirst()
    }

    /// The next frame that has not been deferred.
    func nextReceived() -> HostFrame? {
        let frame = orExit { () throws(ProtocolSocket.Failure) in try socket.next() }
        if frame != nil { received += 1 }
        return frame
    }

    /// Defers a frame until ``next()``.
    func deferFrame(_ frame: HostFrame) {
        deferred.append(frame)
    }

    private func orExit<T>(_ body: () throws(ProtocolSocket.Failure) -> T) -> T {
        do throws(ProtocolSocket.Failure) {
            return try body()
        } catch {
            _exit(error.exitStatus)
        }
    }
}
