/// A message between the host and a companion program.
///
/// On the wire: the length of what follows as `UInt32`, a type byte, the payload; all integers
/// little-endian. Byte strings and UTF-8 text are preceded by their length as `UInt32`, lists by
/// their count.
///
/// ```swift
/// var reader = FrameReader<RunnerFrame>()
/// reader.append(bytes)
/// while let frame = try reader.next() { handle(frame) }
/// ```
public protocol Frame: Sendable {
    /// Reads the payload of a frame of a type.
    init(from decoder: inout PayloadDecoder, type: UInt8) throws(FrameError)
    /// Writes the payload and returns the type byte.
    func encode(to encoder: inout PayloadEncoder) -> UInt8
    /// The maximum number of bytes after the length prefix, for a type of frame.
    static func limit(ofType type: UInt8) -> Int
}

/// The limits of frames.
public enum FrameLimits {
    /// Bytes after the length prefix, of any frame.
    public static let frame = 20 << 20
    /// UTF-8 bytes of a console line, of a message or of a stack trace.
    public static let text = 16 << 10
    /// UTF-8 bytes of the visible text of a page.
    public static let view = 64 << 10
    /// UTF-8 bytes of a page's document.
    public static let markup = 1 << 20
    /// Bytes of a request's target: a URL, or a path with query.
    public static let target = 8 << 10
    /// Bytes of a request's header fields, names and values together.
    public static let headerBytes = 16 << 10
    /// Bytes of a request's body.
    public static let body = 1 << 20
    /// Header fields of one request or response.
    public static let headers = 64
    /// Entries of any other list.
    public static let list = 64
    /// Bytes of a body in one frame.
    public static let bodyPiece = 64 << 10
}

/// One field of an HTTP header.
public struct HeaderField: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The value.
    public let value: String

    /// Creates a field, without validating it.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Why bytes are not a valid frame; the rest of the stream cannot be read.
public enum FrameError: Error, Hashable, Sendable {
    /// The length exceeds the limit.
    case tooLarge(Int)
    /// The type byte is unknown.
    case unknownType(UInt8)
    /// The named part of the payload is invalid.
    case malformed(String)
}

extension Frame {
    /// By default, ``FrameLimits/frame``.
    public static func limit(ofType type: UInt8) -> Int { FrameLimits.frame }

    /// The encoded frame, with its length prefix.
    public func encoded() -> [UInt8] {
        var encoder = PayloadEncoder()
        let type = encode(to: &encoder)
        return encoder.framed(type: type)
    }
}

/// Assembles frames from the bytes received.
public struct FrameReader<Received: Frame>: Sendable {
    private var buffer: [UInt8] = []
    private var start = 0

    /// A reader without bytes.
    public init() {}

    /// Whether `next` has returned everything that was appended.
    public var isEmpty: Bool { start == buffer.count }

    /// Adds received bytes.
    public mutating func append(_ bytes: some Sequence<UInt8>) {
        if start == buffer.count {
            // The memory of a large frame is not kept for smaller ones.
            buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 18)
            start = 0
        } else if start > 1 << 16 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next complete frame; `nil` until more bytes are added.
    ///
    /// - Throws: ``FrameError``; the rest of the stream cannot be read.
    public mutating func next() throws(FrameError) -> Received? {
        guard buffer.count - start >= 4 else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(buffer[start + $1]) << (8 * $1) }
        guard length <= FrameLimits.frame else { throw .tooLarge(length) }
        guard length >= 1 else { throw .malformed("length") }
        guard buffer.count - start >= 5 else { return nil }
        // Rejected before it has arrived, so that it is not stored.
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

/// Reads the payload of one frame, and checks every length in it.
public struct PayloadDecoder: Sendable {
    private var rest: ArraySlice<UInt8>

    init(_ payload: ArraySlice<UInt8>) {
        rest = payload
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// An integer.
    public mutating func uint8() throws(FrameError) -> UInt8 { try integer() }
    /// An integer.
    public mutating func uint16() throws(FrameError) -> UInt16 { try integer() }
    /// An integer.
    public mutating func uint32() throws(FrameError) -> UInt32 { try integer() }
    /// An integer.
    public mutating func uint64() throws(FrameError) -> UInt64 { try integer() }

    /// A byte string.
    public mutating func bytes() throws(FrameError) -> [UInt8] {
        let count = Int(try uint32())
        guard count <= rest.count else { throw .malformed("length") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// A text.
    ///
    /// - Throws: `malformed` if the bytes are not UTF-8.
    public mutating func string() throws(FrameError) -> String {
        guard let text = String(validating: try bytes(), as: UTF8.self) else {
            throw .malformed("UTF-8")
        }
        return text
    }

    /// A list of texts.
    public mutating func strings() throws(FrameError) -> [String] {
        let count = try count(atMost: FrameLimits.list)
        var list: [String] = []
        for _ in 0..<count { list.append(try string()) }
        return list
    }

    /// A list of header fields.
    public mutating func headers() throws(FrameError) -> [HeaderField] {
        let count = try count(atMost: FrameLimits.headers)
        var list: [HeaderField] = []
        for _ in 0..<count { list.append(HeaderField(try string(), try string())) }
        return list
    }

    private mutating func count(atMost limit: Int) throws(FrameError) -> Int {
        let count = Int(try uint32())
        guard count <= limit else { throw .malformed("count") }
        return count
    }

    private mutating func integer<T: FixedWidthInteger>() throws(FrameError) -> T {
        let size = MemoryLayout<T>.size
        guard rest.count >= size else { throw .malformed("truncated") }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size).reversed().reduce(0) { $0 << 8 | T($1) }
    }
}

/// Writes the payload of one frame.
public struct PayloadEncoder: Sendable {
    private var bytes: [UInt8] = [0, 0, 0, 0, 0]

    init() {}

    /// Writes an integer.
    public mutating func write(_ integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Writes a text.
    public mutating func write(_ text: String) {
        write(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a byte string.
    public mutating func write(_ blob: [UInt8]) {
        write(UInt32(blob.count))
        bytes.append(contentsOf: blob)
    }

    /// Writes a list of texts.
    public mutating func write(_ list: [String]) {
        write(UInt32(list.count))
        for text in list { write(text) }
    }

    /// Writes a list of header fields.
    public mutating func write(_ headers: [HeaderField]) {
        write(UInt32(headers.count))
        for field in headers {
            write(field.name)
            write(field.value)
        }
    }

    consuming func framed(type: UInt8) -> [UInt8] {
        var frame = bytes
        withUnsafeBytes(of: UInt32(bytes.count - 4).littleEndian) { length in
            frame.replaceSubrange(0..<4, with: length)
        }
        frame[4] = type
        return frame
    }
}
