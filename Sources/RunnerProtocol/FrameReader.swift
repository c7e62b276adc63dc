/// Puts frames together from the pieces in which they arrive.
public struct FrameReader<Received: Frame>: Sendable {
    private var buffer: [UInt8] = []
    private var start = 0

    public init() {}

    /// Whether nothing has come that `next` has not taken.
    public var isEmpty: Bool { start == buffer.count }

    /// Adds bytes as they were received, at most a frame's worth beyond what `next` has taken.
    public mutating func append(_ bytes: some Sequence<UInt8>) {
        if start == buffer.count {
            // The room that one large frame needed is not kept for all that follow.
            buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 18)
            start = 0
        } else if start > 1 << 16 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next complete frame, or `nil` until more bytes have come.
    ///
    /// - Throws: `FrameError` when the bytes are no frame; the stream cannot be read further.
    public mutating func next() throws(FrameError) -> Received? {
        guard buffer.count - start >= 4 else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(buffer[start + $1]) << (8 * $1) }
        guard length <= FrameLimits.frame else { throw .tooLarge(length) }
        guard length >= 1 else { throw .malformed("length") }
        guard buffer.count - start >= 5 else { return nil }
        // Refused before it has arrived, so that it need not be kept until then.
        guard length <= Received.limit(ofType: buffer[start + 4]) else { throw .tooLarge(length) }
        guard buffer.count - start >= 4 + length else { return nil }
        let payload = buffer[(start + 5)..<(start + 4 + length)]
        var decoder = PayloadDecoder(payload)
        let frame = try Received(from: &decoder, type: buffer[start + 4])
        guard decoder.isAtEnd else { throw .malformed("trailing bytes") }
        start += 4 + length
        return frame
    }
}
