/// A message between host and runner.
///
/// On the wire: the length of what follows as `UInt32`, a type byte, the payload; all integers
/// little-endian. Byte strings and UTF-8 text carry their length as `UInt32`, lists their count.
public protocol Frame: Sendable {
    init(from decoder: inout PayloadDecoder, type: UInt8) throws(FrameError)
    /// Writes the payload and returns the type byte.
    func encode(to encoder: inout PayloadEncoder) -> UInt8
    /// The most bytes that a frame of a type may have after its length prefix.
    static func limit(ofType type: UInt8) -> Int
}

/// What no frame may exceed.
public enum FrameLimits {
    /// Bytes after the length prefix, of any frame.
    public static let frame = 20 << 20
    /// UTF-8 bytes of a console line, of a message or of a stack trace.
    public static let text = 16 << 10
    /// UTF-8 bytes of the visible text of a page.
    public static let view = 64 << 10
    /// UTF-8 bytes of a page's document.
    public static let markup = 1 << 20
    /// Bytes of a request's address.
    public static let target = 8 << 10
    /// Bytes of a request's header fields, names and values together.
    public static let headerBytes = 16 << 10
    /// Bytes of a request's body.
    public static let body = 1 << 20
    /// Header fields of one request or answer.
    public static let headers = 64
    /// Entries of any other list.
    public static let list = 64
    /// The largest piece of a body in one frame.
    public static let bodyPiece = 64 << 10
}

/// One field of an HTTP header.
public struct HeaderField: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Why bytes are not a frame; the stream cannot be read further.
public enum FrameError: Error, Hashable, Sendable {
    case tooLarge(Int)
    case unknownType(UInt8)
    case malformed(String)
}

extension Frame {
    /// The same for all types.
    public static func limit(ofType type: UInt8) -> Int { FrameLimits.frame }

    /// The frame as it goes over the wire.
    public func encoded() -> [UInt8] {
        var encoder = PayloadEncoder()
        let type = encode(to: &encoder)
        return encoder.framed(type: type)
    }
}
