import Auth
import NIOCore
import Samples
import Testing
import Text

@testable import Provider

/// `GET /api/v1/stream` as a WebSocket.
@Suite(.timeLimit(.minutes(10)))
struct StreamSocketTests {
    @Test func `the handshake is answered as RFC 6455 says, and each event is a message`()
        async throws
    {
        try await ServedHost.with { host in
            await host.gauge(1)
            try await host.socket("sensors=gauge,nothing&newest") { socket in
                #expect(socket.head.hasPrefix("HTTP/1.1 101 "))
                #expect(socket.head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
                #expect(!socket.head.contains("Sec-WebSocket-Protocol"))
                #expect(!socket.head.contains("Transfer-Encoding"))
                await socket.read { $0.messages.count >= 4 }
                await host.gauge(2)
                await socket.read { !$0.ids.isEmpty }
                #expect(socket.messages[0] == #"{"id":1}"#)
                #expect(
                    socket.messages[1]
                        == #"{"event":"open","data":{"after":1,"sensors":["gauge"]}}"#)
                #expect(socket.messages[2].hasPrefix(#"{"event":"refused","data":{"sensor":"#))
                #expect(
                    socket.messages[3].hasPrefix(
                        #"{"event":"sample","data":{"sensor":"gauge","t":"#))
                #expect(socket.ids == [2])
            }
        }
    }

    /// The events in the text of a stream, as the messages of a WebSocket.
    private static func messages(of text: String) -> [String] {
        var messages: [String] = []
        var members: [String] = []
        // The text has the framing of its chunks, too, whose lines end with CRLF.
        let lines = text.replacing("\r\n", with: "\n")
            .split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines {
            if let id = line.wholeMatch(of: /id: (\d+)/) {
                members.append(#""id":\#(id.1)"#)
            } else if let name = line.wholeMatch(of: /event: (.*)/) {
                members.append(#""event":"\#(name.1)""#)
            } else if let data = line.wholeMatch(of: /data: (.*)/) {
                members.append(#""data":\#(data.1)"#)
            } else if line.isEmpty, !members.isEmpty {
                messages.append("{\(members.joined(separator: ","))}")
                members = []
            }
        }
        return messages
    }

    @Test(arguments: [
        Terms(access: .raw), Terms(access: .raw, maximumRate: 1),
        Terms(access: .raw, precision: 50), Terms(access: .raw, history: .seconds(60)),
        Terms(access: .stats), Terms(access: .write),
    ])
    func `messages are the events of the same stream, under the same terms`(
        terms: Terms
    ) async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client()
            let privilege = terms.access == .raw ? "sensor:gauge" : "sensor:gauge:\(terms.access)"
            try await host.decide(.allow(terms), privilege, by: "curl")
            try await host.decide(.allow(Terms(access: .raw)), "sensor:networking", by: "curl")
            let begin = host.clock.now.microseconds - 120_000_000
            for number in 0..<700 {
                let time = Timestamp(microseconds: begin + Int64(number) * 200_000)
                await host.gauge(Double(number), at: time)
            }
            await host.collect("networking", [.number(7)])
            let query = "sensors=gauge@0,networking@0"
            let path = "/api/v1/stream?\(query)"
            let begun = { (events: EventReader) in events.text.contains("id: 701\nevent: sample") }
            var expected: [String] = []
            try await host.events(of: path, after: nil, token: token, begun: begun) { events in
                expected = Self.messages(of: events.text)
            }
            #expect(expected.count >= 3)
            try await host.socket(query, token: token) { socket in
                await socket.read { $0.ids.last == 701 }
                #expect(socket.messages == expected)
            }
        }
    }

    @Test func `a client resumes by Last-Event-ID, by the parameter after, or per sensor`()
        async throws
    {
        try await ServedHost.with { host in
            for level in 1...5 { await host.gauge(Double(level)) }
            for (query, id) in [
                ("sensors=gauge", "2"), ("sensors=gauge&after=2", nil), ("sensors=gauge@2", nil),
                // A client that reconnects repeats the URL.
                ("sensors=gauge&after=1", "2"),
            ] {
                let headers = id.map { [("Last-Event-ID", $0)] } ?? []
                try await host.socket(query, headers: headers) { socket in
                    await socket.read { $0.ids.count >= 3 }
                    #expect(socket.ids == [3, 4, 5], "\(query)")
                }
            }
            try await host.socket("sensors=gauge&after=6") { socket in
                #expect(socket.head.hasPrefix("HTTP/1.1 400 "))
            }
        }
    }

    @Test func `samples that are no longer stored are a gap`() async throws {
        try await ServedHost.with { host async throws in
            for level in 1...3 { await host.gauge(Double(level)) }
            let receipt = try await host.send(
                Call("DELETE", "/api/v1/sensors/gauge/samples", token: host.owner))
            #expect(receipt.status == 200)
            await host.gauge(4)
            try await host.socket("sensors=gauge@0") { socket in
                await socket.read { $0.ids.last == 4 }
                let gap = socket.messages.first { $0.hasPrefix(#"{"event":"gap","#) }
                #expect(gap?.contains(#""reason":"gone""#) == true, "\(socket.messages)")
            }
        }
    }

    @Test func `a browser authenticates by a subprotocol, which is not sent back`() async throws {
        try await ServedHost.with { host async throws in
            await host.gauge(1)
            let token = try await host.client()
            try await host.decide(.allow(Terms(access: .raw)), "sensor:gauge", by: "curl")
            func open(
                _ protocols: String, origin: String? = nil, token field: String = "",
                _ body: (SocketReader) async throws -> Void
            ) async throws {
                var headers = [("Sec-WebSocket-Protocol", protocols)]
                if let origin { headers.append(("Origin", origin)) }
                try await host.socket("sensors=gauge@0", token: field, headers: headers, body)
            }
            let bearer = "nervous.bearer.\(token)"
            try await open(
                "nervous.stream, \(bearer)", origin: "http://localhost:\(host.port)"
            ) { socket in
                #expect(socket.head.contains("Sec-WebSocket-Protocol: nervous.stream"))
                #expect(!socket.head.contains(token))
                await socket.read { $0.ids == [1] }
            }
            for (protocols, field, status) in [
                ("nervous.stream", "", 401), ("nervous.stream, nervous.bearer.nvs_x", "", 401),
                (bearer, "", 400), ("nervous.stream, \(bearer)", token, 400),
                ("nervous.stream, \(bearer), \(bearer)", "", 400),
            ] {
                try await open(protocols, token: field) { socket in
                    #expect(socket.head.hasPrefix("HTTP/1.1 \(status) "), "\(protocols)")
                }
            }
            try await open("nervous.stream, \(bearer)", origin: "http://example.org") { socket in
                #expect(socket.head.hasPrefix("HTTP/1.1 403 "))
            }
            // A token in the URL is none.
            try await host.socket("sensors=gauge&token=\(token)", token: "") { socket in
                #expect(socket.head.hasPrefix("HTTP/1.1 401 "))
            }
        }
    }

    @Test(arguments: [
        ([("Sec-WebSocket-Version", "8")], 426), ([("Sec-WebSocket-Key", "c2hvcnQ=")], 400),
        ([("Sec-WebSocket-Key", "*")], 400), ([("Sec-WebSocket-Key", "")], 400),
        ([("Content-Length", "3")], 400), ([("Host", "example.org")], 421),
    ])
    func `an invalid handshake is refused`(changes: [(String, String)], status: Int) async throws {
        try await ServedHost.with { host in
            var handshake = ServedHost.handshake
            var authority: String?
            for (name, value) in changes {
                handshake.removeAll { $0.0 == name }
                if name == "Host" { authority = value } else { handshake.append((name, value)) }
            }
            try await host.socket(
                "sensors=gauge", handshake: handshake, host: authority
            ) { socket in
                #expect(socket.head.hasPrefix("HTTP/1.1 \(status) "), "\(socket.head)")
                if status == 426 { #expect(socket.head.contains("Sec-WebSocket-Version: 13")) }
            }
        }
    }

    @Test func `revoking the token ends the WebSocket with a problem and code 1008`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client()
            try await host.decide(.allow(Terms(access: .raw)), "sensor:gauge", by: "curl")
            try await host.socket("sensors=gauge", token: token) { socket in
                await host.gauge(1)
                await socket.read { $0.ids == [1] }
                let revoked = try await host.send(
                    Call("DELETE", "/api/v1/tokens/curl", token: host.owner))
                #expect(revoked.status == 204)
                await host.gauge(2)
                await socket.read { $0.close != nil }
                #expect(socket.ids == [1])
                #expect(socket.messages.last?.contains(#"{"event":"problem","data":{"#) == true)
                #expect(socket.close?.code == 1008)
                // The host may have closed the connection.
                try? await socket.send(8, [3, 240])
                await socket.read { _ in false }
                #expect(socket.hasEnded)
            }
        }
    }

    @Test func `pings and the closing handshake are answered`() async throws {
        try await ServedHost.with { host in
            try await host.socket("sensors=gauge") { socket in
                try await socket.send(9, Array("are you there?".utf8))
                await socket.read { $0.frames.contains { $0.opcode == 10 } }
                #expect(socket.frames.last?.text == "are you there?")
                try await socket.send(8, [0x0B, 0xB8] + Array("enough".utf8))
                await socket.read { _ in false }
                #expect(socket.close?.payload == [0x0B, 0xB8])
                #expect(socket.hasEnded)
            }
        }
    }

    @Test(arguments: [
        // A message, a fragment, an unknown opcode, and a frame that is too large.
        (bytes: [0x81, 0x81, 0, 0, 0, 0, 65] as [UInt8], code: 1003),
        ([0x02, 0x80, 0, 0, 0, 0], 1003),
        ([0x80, 0x80, 0, 0, 0, 0], 1002), ([0x83, 0x80, 0, 0, 0, 0], 1002),
        ([0x82, 0xFE, 0xFF, 0xFF, 0, 0, 0, 0], 1009),
        // No mask, a reserved bit, a fragmented ping, a long ping.
        ([0x89, 0x00], 1002), ([0xC9, 0x80, 0, 0, 0, 0], 1002), ([0x09, 0x80, 0, 0, 0, 0], 1002),
        ([0x89, 0xFE, 0, 126, 0, 0, 0, 0], 1002),
        // Close frames with half a code, a reserved code, and a reason that is not UTF-8.
        ([0x88, 0x81, 0, 0, 0, 0, 3], 1002), ([0x88, 0x82, 0, 0, 0, 0, 3, 0xED], 1002),
        ([0x88, 0x83, 0, 0, 0, 0, 3, 0xE8, 0xFF], 1002),
    ])
    func `what a client may not send closes the WebSocket`(bytes: [UInt8], code: Int) async throws {
        try await ServedHost.with { host in
            try await host.socket("sensors=gauge") { socket in
                try await socket.send(bytes: bytes)
                await socket.read { $0.close != nil }
                #expect(socket.close?.code == code)
                // The host may have closed the connection.
                try? await socket.send(8)
                await socket.read { _ in false }
                #expect(socket.hasEnded)
            }
            #expect(try await host.send(Call("GET", "/health")).status == 200)
        }
    }

    @Test func `a silent client gets pings, and is disconnected if it does not answer`()
        async throws
    {
        let limits = ConnectionLimits(idle: .milliseconds(400))
        try await ServedHost.with(limits: limits) { host in
            try await host.socket("sensors=gauge") { socket in
                await socket.read { _ in false }
                #expect(socket.frames.contains(SocketReader.Frame(opcode: 9, payload: [])))
                #expect(socket.hasEnded)
            }
        }
    }

    @Test func `a client that does not read is disconnected`() async throws {
        let limits = ConnectionLimits(
            header: .seconds(1), period: .seconds(1), progress: 1000)
        try await ServedHost.with(limits: limits) { host async throws in
            try await host.declareSensor("diary", fields: [(name: "page", kind: "text")])
            // More than the buffers of the kernel hold.
            let page = String(repeating: "x", count: 8 << 10)
            for batch in 0..<10 {
                let rows = (0..<500).map { #"{"t": \#(batch * 500 + $0), "page": "\#(page)"}"# }
                try await host.feedSensor("[\(rows.joined(separator: ","))]", to: "diary")
            }
            try await host.socket("sensors=diary@0") { socket in
                try await Task.sleep(for: .seconds(4))
                await socket.read { _ in false }
                #expect(socket.hasEnded)
                #expect(socket.close == nil)
                #expect(socket.ids.count < 5000)
            }
        }
    }

    @Test func `the access log has a WebSocket like any stream`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client()
            try await host.decide(.allow(Terms(access: .raw)), "sensor:gauge", by: "curl")
            await host.gauge(1)
            try await host.socket("sensors=gauge@0,networking", token: token) { socket in
                await socket.read { $0.ids == [1] }
            }
            let log = try await host.send(
                Call("GET", "/api/v1/access-log?client=curl", token: host.owner)
            ).json()
            let entries = (log["items"]?.array ?? []).filter {
                $0["operation"]?.string == "stream"
            }
            let sensors = Set(entries.compactMap { $0["sensor"]?.string })
            #expect(sensors == ["gauge", "networking"], "\(entries)")
            #expect(entries.contains { $0["kind"]?.string == "refusal" })
        }
    }

    /// The parser of NIO keeps what follows such a request, whatever the response is.
    @Test(arguments: [
        "GET /health HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c",
        "GET /api/v1/sensors HTTP/1.1\r\nConnection: keep-alive, upgrade\r\nUpgrade: websocket",
        "GET /health HTTP/1.0\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket",
        "CONNECT localhost:1 HTTP/1.1",
    ])
    func `a connection is closed after a request for another protocol that is not switched to`(
        request: String
    ) async throws {
        try await ServedHost.with { host in
            let text = "\(request)\r\nHost: localhost:\(host.port)\r\n\r\n"
            let answer = String(decoding: try await host.raw(Array(text.utf8)), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 "), "\(answer)")
            #expect(answer.ranges(of: "HTTP/1.1 ").count == 1)
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test func `a client that sends before the response to its request is disconnected`()
        async throws
    {
        try await ServedHost.with { host in
            let path = "/api/v1/sensors/gauge/stream"
            let text = """
                GET \(path) HTTP/1.1\r\nHost: localhost:\(host.port)\r
                Authorization: Bearer \(host.owner)\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n
                """
            try await TCPConnection.with(port: host.port) { reader, writer in
                try await writer.write(ByteBuffer(string: text))
                let events = EventReader(reader)
                await events.read { $0.text.contains("id: 0\n\n") }
                #expect(events.text.contains("HTTP/1.1 200"))
                try? await writer.write(ByteBuffer(string: "GET /health HTTP/1.1\r\n"))
                // The stream ends.
                await events.read { _ in false }
            }
        }
    }
}
