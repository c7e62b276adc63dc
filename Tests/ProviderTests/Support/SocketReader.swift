import NIOCore

/// A client of a stream as a WebSocket, which sees every frame.
final class SocketReader {
    struct Frame: Hashable {
        /// The opcode: 1 text, 8 close, 9 ping, 10 pong.
        let opcode: UInt8
        let payload: [UInt8]

        var text: String { String(decoding: payload, as: UTF8.self) }

        /// The code of a close frame.
        var code: Int? { payload.count < 2 ? nil : Int(payload[0]) << 8 | Int(payload[1]) }
    }

    private let reader: TCPConnection.Reader
    private let writer: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var bytes: [UInt8] = []
    /// The response to the handshake.
    private(set) var head = ""
    private(set) var frames: [Frame] = []
    private(set) var hasEnded = false

    init(_ reader: TCPConnection.Reader, _ writer: NIOAsyncChannelOutboundWriter<ByteBuffer>) {
        (self.reader, self.writer) = (reader, writer)
    }

    /// The text messages.
    var messages: [String] { frames.filter { $0.opcode == 1 }.map(\.text) }

    /// The ids of the messages with samples.
    var ids: [Int64] {
        messages.compactMap { text in
            text.firstMatch(of: /^{"id":(\d+),"event":"sample",/).flatMap { Int64($0.1) }
        }
    }

    var close: Frame? { frames.first { $0.opcode == 8 } }

    /// Reads until a condition holds or the server has closed.
    func read(until isEnough: (SocketReader) -> Bool) async {
        while !isEnough(self), !hasEnded {
            guard let more = await reader.next() else {
                hasEnded = true
                return
            }
            bytes += more
            if head.isEmpty, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                bytes.removeSubrange(..<end.upperBound)
            }
            guard head.contains("101") else { continue }
            var begin = 0
            while let frame = next(&begin) { frames.append(frame) }
            bytes.removeFirst(begin)
        }
    }

    /// Sends a masked frame.
    func send(
        _ opcode: UInt8, _ payload: [UInt8] = [], mask: [UInt8]? = [1, 2, 3, 4]
    ) async throws {
        var frame = [0x80 | opcode, (mask == nil ? 0 : 0x80) | UInt8(payload.count)]
        frame += mask ?? []
        frame += payload.enumerated().map { index, byte in byte ^ (mask?[index % 4] ?? 0) }
        try await send(bytes: frame)
    }

    func send(bytes: [UInt8]) async throws {
        try await writer.write(ByteBuffer(bytes: bytes))
    }

    /// The next frame, if it is complete; frames of the server are whole messages without a mask.
    private func next(_ begin: inout Int) -> Frame? {
        guard bytes.count >= begin + 2 else { return nil }
        var (payload, size) = (begin + 2, Int(bytes[begin + 1]))
        if size >= 126 {
            payload += size == 126 ? 2 : 8
            guard bytes.count >= payload else { return nil }
            size = bytes[(begin + 2)..<payload].reduce(0) { $0 << 8 | Int($1) }
        }
        guard bytes.count >= payload + size else { return nil }
        defer { begin = payload + size }
        return Frame(
            opcode: bytes[begin] & 0x7F, payload: Array(bytes[payload..<(payload + size)]))
    }
}

extension ServedHost {
    /// The header fields of the opening handshake in RFC 6455.
    static let handshake = [
        ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]

    /// Opens a stream as a WebSocket, waits for the response, runs `body` and disconnects.
    ///
    /// - Parameter token: the token in `Authorization`; the owner's if missing, none if empty.
    func socket(
        _ query: String, token: String? = nil, headers: [(String, String)] = [],
        handshake: [(String, String)] = handshake, host: String? = nil,
        _ body: (SocketReader) async throws -> Void
    ) async throws {
        let authority = host ?? "localhost:\(port)"
        var text = "GET /api/v1/stream?\(query) HTTP/1.1\r\nHost: \(authority)\r\n"
        let token = token ?? owner
        if !token.isEmpty { text += "Authorization: Bearer \(token)\r\n" }
        for (name, value) in handshake + headers { text += "\(name): \(value)\r\n" }
        let bytes = Array((text + "\r\n").utf8)
        try await TCPConnection.with(port: port) { reader, writer in
            try await writer.write(ByteBuffer(bytes: bytes))
            let socket = SocketReader(reader, writer)
            await socket.read { !$0.head.isEmpty }
            try await body(socket)
        }
    }
}
