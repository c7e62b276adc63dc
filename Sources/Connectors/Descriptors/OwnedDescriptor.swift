import CProcess
import Glibc

/// A descriptor that is closed with the last who holds it.
final class OwnedDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit { close(number) }

    /// A pipe: the end to read from, which does not wait, and the other.
    static func pipe() throws(ConnectorError) -> (OwnedDescriptor, OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        let failure = nervous_process_pipe(&ends)
        guard failure == 0 else {
            throw ConnectorError("There is no pipe: \(String(cString: strerror(failure))).")
        }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }

    /// What a read without waiting gave.
    enum Piece: Equatable {
        case bytes(ArraySlice<UInt8>)
        /// Nothing is there now.
        case nothing
        /// The other side has gone; `error` is that of read(2), 0 where there was none.
        case end(error: Int32)
    }

    /// Reads what is there, at most 4096 bytes; the descriptor must be one that does not wait.
    func read() -> Piece {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(number, &buffer, buffer.count)
            if count > 0 { return .bytes(buffer[..<count]) }
            guard count < 0 else { return .end(error: 0) }
            let error = errno
            if error == EAGAIN { return .nothing }
            if error != EINTR { return .end(error: error) }
        }
    }

    /// Hands on what comes, and then does what is due at the end.
    func watched(
        atEnd: DescriptorWatch.Next, _ body: @escaping @Sendable (ArraySlice<UInt8>) -> Void
    ) -> DescriptorWatch.Entry {
        DescriptorWatch.Entry(descriptor: number) {
            switch self.read() {
            case .bytes(let bytes): body(bytes)
            case .nothing: break
            case .end: return atEnd
            }
            return .goOn
        }
    }
}
