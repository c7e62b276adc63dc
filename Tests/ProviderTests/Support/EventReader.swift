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
        let call = Call(
            "GET", "/api/v1/sensors/\(sensor)/stream", token: token ?? owner,
            headers: id.map { [("Last-Event-ID", $0)] } ?? [])
        let bytes = call.bytes(standardHost: "localhost:\(port)")
        try await TCPConnection.with(port: port) { reader, writer in
            try await writer.write(ByteBuffer(bytes: bytes))
            let events = EventReader(reader)
            await events.read {
                $0.text.contains(": the samples of") || $0.text.contains("HTTP/1.1 4")
            }
            try await body(events)
        }
    }
}
