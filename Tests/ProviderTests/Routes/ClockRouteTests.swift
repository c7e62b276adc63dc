import Auth
import Samples
import Testing
import Text

@testable import Provider

/// The clock offset of sensors whose samples come with times of their own.
@Suite(.timeLimit(.minutes(10)))
struct ClockRouteTests {
    private static func clock(
        of sensor: String, _ host: ServedHost, token: String? = nil
    ) async throws -> JSONValue? {
        let call = Call("GET", "/api/v1/sensors/\(sensor)", token: token ?? host.owner)
        return try await host.send(call).json()["clock"]
    }

    /// A message of a phone that buffered samples, with their times in seconds by the host's clock.
    private static func push(
        _ seconds: [Double], of phone: String, token: String, _ host: ServedHost
    ) async throws {
        let items = seconds.map { second in
            let time = host.clock.now.microseconds + Int64(second * 1e6)
            return #"{"name":"light","time":\#(time * 1000),"values":{"lux":7}}"#
        }
        let answer = try await host.send(
            Call(
                "POST", "/api/v1/push/sensor-logger?device=\(phone)", token: token,
                json: #"{"payload":[\#(items.joined(separator: ","))]}"#))
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test func `the newest sample of a message of a phone counts`() async throws {
        try await ServedHost.with { host in
            let token = try await host.addPhone("ann", kinds: ["light"])
            #expect(try await Self.clock(of: "light.ann", host) == nil)
            try await Self.push([-600, -300, -0.25], of: "ann", token: token, host)
            let clock = try #require(try await Self.clock(of: "light.ann", host))
            #expect(clock["offset"]?.number?.double == -250)
            #expect(clock["measured"]?.number?.double == host.clock.now.milliseconds)
            #expect(clock["wrong"]?.bool == false)
            try await Self.push([3599, 3600], of: "ann", token: token, host)
            let wrong = try #require(try await Self.clock(of: "light.ann", host))
            #expect(wrong["offset"]?.number?.double == 3_600_000)
            #expect(wrong["wrong"]?.bool == true)
        }
    }

    @Test func `line protocol and published samples count if they have times`() async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("wine", numbers: "x")
            let token = try await host.client(allow: ["sensor:wine:write", "sensor:wine"])
            func send(_ path: String, _ type: String, _ body: String) async throws -> Int {
                try await host.send(
                    Call(
                        "POST", path, token: token, headers: [("Content-Type", type)],
                        body: Array(body.utf8))
                ).status
            }
            let samples = "/api/v1/sensors/wine/samples"
            #expect(try await send(samples, "application/json", #"{"x":1}"#) == 201)
            #expect(
                try await send("/api/v1/push/influx/api/v2/write", "text/plain", "wine x=1") == 204)
            #expect(try await Self.clock(of: "wine", host) == nil)
            let now = host.clock.now.microseconds
            let line = "wine x=1 \((now - 4_000_000) * 1000)"
            #expect(try await send("/api/v1/push/influx/api/v2/write", "text/plain", line) == 204)
            #expect(try await Self.clock(of: "wine", host)?["offset"]?.number?.double == -4000)
            let json =
                #"[{"t":\#(Double(now) / 1000 - 9000),"x":1},{"t":\#(now / 1000 + 2000),"x":1}]"#
            #expect(try await send(samples, "application/json", json) == 201)
            let clock = try #require(try await Self.clock(of: "wine", host))
            let offset = try #require(clock["offset"]?.number?.double)
            #expect(abs(offset - 2000) < 1)
        }
    }

    @Test func `imported samples give no clock offset, and statistics show none`() async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("wine", numbers: "x")
            try await host.feedSensor(
                #"{"t":\#(host.clock.now.milliseconds - 9000),"x":1}"#, to: "wine")
            #expect(try await Self.clock(of: "wine", host) == nil)
            let phone = try await host.addPhone("ann", kinds: ["light"])
            try await Self.push([0], of: "ann", token: phone, host)
            let token = try await host.client()
            try await host.decide(.statisticsOnly, "sensor:light.ann", by: "curl")
            #expect(try await Self.clock(of: "light.ann", host, token: token) == nil)
            #expect(try await Self.clock(of: "light.ann", host) != nil)
        }
    }
}
