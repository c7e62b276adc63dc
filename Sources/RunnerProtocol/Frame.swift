/// A message between host and runner.
///
/// On the wire: the length of what follows as `UInt32`, a type byte, the payload; all integers
/// little-endian. Byte strings and UTF-8 text carry their length as `UInt32`, lists their count.
public protocol Frame: Sendable {
    init(from decoder: inout PayloadDecoder, type: UInt8) throws(FrameError)
    /// Writes the payload and returns the type byte.
    func encode(to encoder: inout PayloadEncoder) -> UInt8
}

/// What no frame may exceed.
public enum FrameLimits {
    /// Bytes after the length prefix.
    public static let frame = 20 << 20
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
    /// The frame as it goes over the wire.
    public func encoded() -> [UInt8] {
        var encoder = PayloadEncoder()
        let type = encode(to: &encoder)
        return encoder.framed(type: type)
    }
}
