import Archive
import Glibc
import RunnerProtocol

/// Writes frames to a pipe, several at once.
struct FrameOutput: ~Copyable {
    private static let enough = 64 << 10

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// - Returns: `false` when nobody reads any more.
    mutating func send(_ frame: UnpackerFrame) -> Bool {
        buffer += frame.encoded()
        return buffer.count < Self.enough || flush()
    }

    /// - Returns: `false` when nobody reads any more.
    mutating func flush() -> Bool {
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        buffer.removeAll(keepingCapacity: true)
        return true
    }
}
