public import NIOCore
import NIOWebSocket

/// A message of a WebSocket.
public enum WebSocketMessage: Hashable, Sendable {
    /// Valid UTF-8.
    case text(String)
    /// Bytes.
    case binary(ByteBuffer)

    /// The size in bytes.
    public var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.readableBytes
        }
    }
}

/// How a WebSocket was closed.
public struct WebSocketClosing: Hashable, Sendable {
    /// The status that the server sent; 1005 if it sent none, 1006 if it closed without a closing handshake.
    public let code: Int
    /// The reason that the server sent; at most 123 bytes.
    public let reason: String
    /// Whether both sides have taken part in the closing handshake.
    public let isClean: Bool
    /// Why the connection failed, in one sentence; `nil` after a closing handshake.
    public let problem: String?

    init(code: Int, reason: String, isClean: Bool, problem: String? = nil) {
        (self.code, self.reason, self.isClean) = (code, reason, isClean)
        self.problem = problem
    }

    static func failed(_ problem: String) -> WebSocketClosing {
        WebSocketClosing(code: 1006, reason: "", isClean: false, problem: problem)
    }
}

/// The frames of a server as messages: RFC 6455, sections 5 and 7.
///
/// NIO's decoder has checked that control frames are short and not fragmented, and that no frame is longer
/// than the limit. This checks everything else.
struct WebSocketReader {
    /// What a frame means.
    enum Event: Hashable {
        case message(WebSocketMessage)
        case ping(ByteBuffer)
        case close(code: Int?, reason: String)
        /// A pong, or a fragment of a message that is not complete.
        case other
    }

    /// Why the connection fails.
    struct Violation: Error, Equatable {
        let code: WebSocketErrorCode
        let reason: String

        init(code: WebSocketErrorCode, reason: String) {
            (self.code, self.reason) = (code, reason)
        }

        /// What NIO's decoder has found.
        init(_ error: NIOWebSocketError) {
            switch error {
            case .invalidFrameLength: self = WebSocketReader.tooLarge
            case .fragmentedControlFrame:
                self.init(code: .protocolError, reason: "it fragmented a control frame")
            case .multiByteControlFrameLength:
                self.init(code: .protocolError, reason: "its control frame is too long")
            }
        }
    }

    /// The maximum number of bytes of a message.
    let limit: Int
    /// The message that has begun.
    private var partial: (isText: Bool, bytes: ByteBuffer)?

    init(limit: Int) {
        self.limit = limit
    }

    mutating func read(_ frame: WebSocketFrame) throws(Violation) -> Event {
        guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            throw Violation(code: .protocolError, reason: "it set a reserved bit")
        }
        guard frame.maskKey == nil else {
            throw Violation(code: .protocolError, reason: "it masked a frame")
        }
        switch frame.opcode {
        case .text, .binary:
            guard partial == nil else {
                throw Violation(
                    code: .protocolError, reason: "it began a message before the last one ended")
            }
            partial = (frame.opcode == .text, ByteBuffer())
            return try append(frame)
        case .continuation: return try append(frame)
        case .ping: return .ping(frame.data)
        case .pong: return .other
        case .connectionClose: return try close(frame.data)
        default: throw Violation(code: .protocolError, reason: "it sent an unknown opcode")
        }
    }

    private mutating func append(_ frame: WebSocketFrame) throws(Violation) -> Event {
        guard let (isText, begun) = partial else {
            throw Violation(
                code: .protocolError, reason: "it sent a continuation without a message")
        }
        var bytes = consume begun
        // The buffer must have one owner to grow without a copy.
        partial = nil
        guard bytes.readableBytes + frame.data.readableBytes <= limit else { throw Self.tooLarge }
        bytes.writeImmutableBuffer(frame.data)
        guard frame.fin else {
            partial = (isText, bytes)
            return .other
        }
        return .message(isText ? .text(try Self.text(bytes)) : .binary(bytes))
    }

    private func close(_ payload: ByteBuffer) throws(Violation) -> Event {
        var payload = payload
        if payload.readableBytes == 0 { return .close(code: nil, reason: "") }
        guard let code = payload.readInteger(as: UInt16.self), Self.isSent(Int(code)) else {
            throw Violation(code: .protocolError, reason: "it sent an invalid status")
        }
        return .close(code: Int(code), reason: try Self.text(payload))
    }

    /// Whether a close frame may contain a status: RFC 6455, section 7.4, and the IANA registry.
    static func isSent(_ code: Int) -> Bool {
        (1000...1003).contains(code) || (1007...1014).contains(code) || (3000...4999).contains(code)
    }

    private static func text(_ bytes: ByteBuffer) throws(Violation) -> String {
        guard let text = String(validating: bytes.readableBytesView, as: UTF8.self) else {
            throw Violation(code: .dataInconsistentWithMessage, reason: "its text is not UTF-8")
        }
        return text
    }

    static let tooLarge = Violation(code: .messageTooLarge, reason: "its message is too large")
}
