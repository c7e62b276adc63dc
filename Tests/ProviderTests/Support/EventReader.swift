import NIOCore

/// The received text of an event stream.
final class EventReader {
    private let reader: TCPConnection.Reader
    private(set) var text = ""

    init(_ reader: TCPConnection.Reader) {
        self.reader = reader
    }

    /// Reads until a condition holds or the server has closed.
    func read(until isEnough: (EventReader) -> Bool) async {
        while !isEnough(self), let more = await reader.next() {
            text += String(decoding: more, as: UTF8.self)
        }
    }

    /// The ids of the samples, in the order received.
    var ids: [Int64] {
        text.matches(of: /id: (\d+)\nevent: sample\ndata: [^\n]*\n\n/).compactMap { Int64($0.1) }
    }

    var heartbeats: Int { text.ranges(of: "\r\n:\n\n").count }
}

extension ServedHost {
    /// Opens the stream of a sensor, runs `body` and disconnects.
    func stream(
        of sensor: String = "gauge", after id: String? = nil, token: String? = nil,
        _ body: (EventReader) async throws -> Void
    ) async throws {
        let begun = { (events: EventReader) in events.text.contains(": the samples of") }
        try await events(
            of: "/api/v1/sensors/\(sensor)/stream", after: id, token: token, begun: begun, body)
    }

    /// Opens an event stream, waits until it has begun or is refused, runs `body` and disconnects.
    func events(
        of path: String, after id: String?, token: String?, host: String? = nil,
        begun: (EventReader) -> Bool, _ body: (EventReader) async throws -> Void
    ) async throws {
        let call = Call(
            "GET", path, token: token ?? owner, host: host,
            headers: id.map { [("Last-Event-ID", $0)] } ?? [])
        let bytes = call.bytes(standardHost: "localhost:\(port)")
        try await TCPConnection.with(port: port) { reader, writer in
            try await writer.write(ByteBuffer(bytes: bytes))
            let events = EventReader(reader)
            await events.read { begun($0) || $0.text.contains("HTTP/1.1 4") }
            try await body(events)
        }
    }
}
