import API
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOWebSocket

/// A stream as a WebSocket, for clients that cannot read Server-Sent Events: the opening handshake of RFC
/// 6455, section 4.2.
///
/// Each event is a text message: an object with those of the members `id`, `event` and `data` that the event
/// has. Comments are not sent: the connection has pings of its own.
struct StreamSocket: Sendable {
    /// The subprotocol of streams.
    static let subprotocol = "nervous.stream"
    /// With a token after it, a subprotocol for scripts of browsers, which cannot set `Authorization`.
    ///
    /// It is never chosen, so the token is not sent back.
    static let tokenPrefix = "nervous.bearer."

    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    private static let version = "13"

    private let key: String
    private let usesSubprotocol: Bool

    /// The handshake of a request; `nil` if it does not ask for a WebSocket.
    ///
    /// - Parameter request: gets the token of its subprotocols as `Authorization`.
    /// - Throws: `Problem` for an invalid handshake.
    init?(opening request: inout Request, _ context: ProviderContext) throws {
        guard request.method == .get, context.transport != .runner,
            request.tokens(.connection).contains(where: { $0.lowercased() == "upgrade" }),
            request.tokens(.upgrade).contains(where: { $0.lowercased() == "websocket" })
        else { return nil }
        guard request.headers[.secWebSocketVersion] == Self.version else {
            let problem = Problem(
                .invalidRequest, "The version of the WebSocket protocol must be \(Self.version).",
                headers: [.secWebSocketVersion: Self.version])
            throw Problem(problem, status: .upgradeRequired)
        }
        guard let key = request.headers[.secWebSocketKey],
            Data(base64Encoded: key)?.count == 16
        else { throw Self.invalid("Sec-WebSocket-Key must be 16 bytes in Base64.") }
        // The connection would switch before the body has arrived.
        guard ["0", nil].contains(request.headers[.contentLength]),
            request.headers[.transferEncoding] == nil
        else { throw Self.invalid("A request for a WebSocket has no body.") }
        self.key = key
        let offered = request.tokens(.secWebSocketProtocol)
        usesSubprotocol = offered.contains { $0 == Self.subprotocol }
        try Self.authenticate(&request, by: offered)
    }

    private static func authenticate(_ request: inout Request, by offered: [Substring]) throws {
        let tokens = offered.filter { $0.hasPrefix(tokenPrefix) }
        guard let token = tokens.first?.dropFirst(tokenPrefix.count) else { return }
        guard tokens.count == 1, request.headers[.authorization] == nil else {
            throw invalid("The request has two tokens.")
        }
        guard offered.contains(where: { $0 == subprotocol }) else {
            throw invalid(
                "Offer the subprotocol \(subprotocol), too: a browser closes a WebSocket for which none is"
                    + " chosen.")
        }
        var head = request.head
        head.headerFields[.authorization] = "Bearer \(token)"
        head.headerFields[.secWebSocketProtocol] = nil
        request = Request(head: head, body: request.body)
    }

    private static func invalid(_ detail: String) -> Problem {
        Problem(.invalidRequest, detail)
    }

    /// Opens the WebSocket.
    ///
    /// - Parameter write: writes whole Server-Sent Events; the WebSocket is closed when it returns.
    func response(
        _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        let hash = Insecure.SHA1.hash(data: Data((key + Self.suffix).utf8))
        var headers: HTTPFields = [
            .upgrade: "websocket", .connection: "Upgrade",
            .secWebSocketAccept: Data(hash).base64EncodedString(),
        ]
        if usesSubprotocol { headers[.secWebSocketProtocol] = Self.subprotocol }
        return Response(
            status: .switchingProtocols, headers: headers,
            body: ResponseBody { writer in
                var messages: any ResponseBodyWriter = MessageWriter(base: writer)
                try await write(&messages)
                try await messages.finish(nil)
            })
    }

    /// Writes Server-Sent Events as frames.
    struct MessageWriter: ResponseBodyWriter {
        let base: any ResponseBodyWriter
        /// Whether the last event was the problem that ends the stream.
        private var hasProblem = false

        init(base: any ResponseBodyWriter) {
            self.base = base
        }

        mutating func write(_ buffer: ByteBuffer) async throws {
            var frames = ByteBuffer()
            add(buffer, to: &frames)
            guard frames.readableBytes > 0 else { return }
            var base = base
            try await base.write(frames)
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
            var frame = ByteBuffer()
            let code: WebSocketErrorCode = hasProblem ? .policyViolation : .goingAway
            frame.writeFrame(.connectionClose, ByteBuffer(closing: code).readableBytesView)
            var base = base
            try await base.write(frame)
            try await base.finish(nil)
        }

        /// - Parameter events: whole events, whose data has no line breaks.
        mutating func add(_ events: ByteBuffer, to frames: inout ByteBuffer) {
            var rest = events.readableBytesView[...]
            var message = ByteBuffer()
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = rest[..<end]
                rest = rest[(end + 1)...]
                if !line.isEmpty {
                    add(line, to: &message)
                } else if message.readableBytes > 0 {
                    message.writeString("}")
                    frames.writeFrame(.text, message.readableBytesView)
                    message.clear()
                }
            }
        }

        /// Adds a member for a line of an event; none for a comment.
        private mutating func add(_ line: ByteBufferView, to message: inout ByteBuffer) {
            func begin(_ member: StaticString) {
                message.writeString(message.readableBytes == 0 ? "{" : ",")
                message.writeStaticString(member)
            }
            if let id = line.value(after: "id: ") {
                begin(#""id":"#)
                message.writeBytes(id)
            } else if let name = line.value(after: "event: ") {
                hasProblem = name.elementsEqual("problem".utf8)
                begin(#""event":""#)
                message.writeBytes(name)
                message.writeString("\"")
            } else if let data = line.value(after: "data: ") {
                begin(#""data":"#)
                message.writeBytes(data)
            }
        }
    }
}

extension ByteBufferView {
    fileprivate func value(after label: StaticString) -> ByteBufferView? {
        label.withUTF8Buffer { starts(with: $0) }
            ? self[(startIndex + label.utf8CodeUnitCount)...] : nil
    }
}

extension Request {
    /// The elements of a field that is a comma-separated list.
    fileprivate func tokens(_ name: HTTPField.Name) -> [Substring] {
        headers[values: name].flatMap { $0.split { $0 == "," || $0 == " " || $0 == "\t" } }
    }
}
