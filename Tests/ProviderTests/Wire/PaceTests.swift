import NIOCore
import Samples
import Testing

@testable import Provider

/// Clients that send or read too slowly, and those that only seem to.
@Suite(.timeLimit(.minutes(10)))
struct PaceTests {
    private static let limits = ConnectionLimits(
        header: .seconds(1), period: .seconds(1), progress: 1000, idle: .seconds(60))

    /// How long the host keeps a connection that receives pieces one after another.
    private static func life(
        of host: ServedHost, _ pieces: [String], every gap: Duration, most: Int = 400
    ) async throws -> (Duration, answer: String) {
        try await TCPConnection.with(port: host.port) { reader, writer in
            let start = ContinuousClock.now
            let sender = Task {
                for number in 0..<most {
                    let piece = number < pieces.count ? pieces[number] : pieces[pieces.count - 1]
                    let whole = piece.replacing("HOST", with: "localhost:\(host.port)")
                    try await writer.write(ByteBuffer(string: whole))
                    try await Task.sleep(for: gap)
                }
            }
            let answer = String(decoding: await reader.rest(), as: UTF8.self)
            let life = ContinuousClock.now - start
            sender.cancel()
            _ = await sender.result
            return (life, answer)
        }
    }

    @Test func `an endless header closes the connection, however much of it arrives`()
        async throws
    {
        try await ServedHost.with(limits: Self.limits) { host in
            let (life, answer) = try await Self.life(
                of: host, ["GET /health HTTP/1.1\r\nX-A: a", "a"], every: .milliseconds(50))
            #expect(life >= .seconds(1) && life < .seconds(20), "\(life)")
            #expect(answer.isEmpty)
            // Also the second on a connection.
            let first = "GET /health HTTP/1.1\r\nHost: HOST\r\n\r\n"
            let (second, one) = try await Self.life(
                of: host, [first + "GET /h", "e"], every: .milliseconds(50))
            #expect(second >= .seconds(1) && second < .seconds(20), "\(second)")
            #expect(one.ranges(of: "HTTP/1.1 200").count == 1)
        }
    }

    @Test func `a slow body closes the connection`() async throws {
        try await ServedHost.with(limits: Self.limits) { host in
            let head =
                "POST /api/v1/launch HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n"
                + "Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n"
            let (life, _) = try await Self.life(of: host, [head, " "], every: .milliseconds(50))
            #expect(life >= .seconds(1) && life < .seconds(20), "\(life)")
        }
    }

    @Test func `a client that does not read is disconnected`() async throws {
        try await ServedHost.with(limits: Self.limits) { host in
            let request = "GET /openapi.json HTTP/1.1\r\nHost: localhost:\(host.port)\r\n\r\n"
            // More responses than the buffers of the kernel hold.
            let count = 500
            let text = try await TCPConnection.with(port: host.port) { reader, writer in
                try await writer.write(
                    ByteBuffer(string: String(repeating: request, count: count)))
                try await Task.sleep(for: .seconds(4))
                return String(decoding: await reader.rest(), as: UTF8.self)
            }
            let answers = text.ranges(of: "HTTP/1.1 200").count
            #expect(answers > 0 && answers < count, "\(answers)")
            #expect(try await host.send(Call("GET", "/health")).status == 200)
        }
    }

    @Test func `waiting for a response or an event is not slow`() async throws {
        try await ServedHost.with(limits: Self.limits) { host in
            let token = try await host.client("reader", allow: ["sensor:gauge"])
            try await TCPConnection.with(port: host.port) { reader, writer in
                let request =
                    "GET /api/v1/sensors/gauge/stream HTTP/1.1\r\nHost: localhost:\(host.port)\r\n"
                    + "Authorization: Bearer \(token)\r\n\r\n"
                try await writer.write(ByteBuffer(string: request))
                #expect(await reader.next() != nil)
                try await Task.sleep(for: .seconds(3))
                await host.collect("gauge", [.number(0.25), .integer(1), .text("on"), .text("a")])
                var text = ""
                while !text.contains("0.25"), let more = await reader.next() {
                    text += String(decoding: more, as: UTF8.self)
                }
                #expect(text.contains("0.25"), "\(text)")
            }
        }
    }
}
