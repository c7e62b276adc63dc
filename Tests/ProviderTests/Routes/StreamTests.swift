import Auth
import Samples
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct StreamTests {
    @Test func `a stream begins now and contains each sample once, in the order of arrival`()
        async throws
    {
        try await ServedHost.with { host in
            for level in 1...2 { await host.gauge(Double(level)) }
            try await host.stream { events in
                #expect(events.text.contains("text/event-stream"))
                // Timestamps decrease, and another sensor gets a sample.
                await host.gauge(3, at: Timestamp(microseconds: 5))
                await host.collect("networking", [.number(1)])
                await host.gauge(4, at: Timestamp(microseconds: 4))
                await events.read { $0.ids.count >= 2 }
                #expect(events.ids == [3, 5])
                #expect(events.text.contains(#"data: {"t":0.005,"level":3.0,"#))
            }
        }
    }

    @Test func `a client that reconnects neither misses nor repeats samples`() async throws {
        try await ServedHost.with { host in
            for level in 1...5 { await host.gauge(Double(level)) }
            try await host.stream(after: "0") { events in
                await events.read { $0.ids.count >= 5 }
                #expect(events.ids == [1, 2, 3, 4, 5])
                await host.gauge(6)
                await events.read { $0.ids.count >= 6 }
            }
            for level in 7...8 { await host.gauge(Double(level)) }
            try await host.stream(after: "4") { events in
                await host.gauge(9)
                await events.read { $0.ids.count >= 5 }
                #expect(events.ids == [5, 6, 7, 8, 9])
            }
        }
    }

    @Test func `a stream begins with its position, so that reconnecting immediately loses nothing`()
        async throws
    {
        try await ServedHost.with { host in
            for level in 1...2 { await host.gauge(Double(level)) }
            try await host.stream { events in
                #expect(events.text.contains(": the samples of gauge\nid: 2\n\n"))
            }
            for level in 3...4 { await host.gauge(Double(level)) }
            try await host.stream(after: "2") { events in
                await events.read { $0.ids.count >= 2 }
                #expect(events.ids == [3, 4])
            }
        }
    }

    @Test func `a client gets its position also for samples that its grant omits`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client()
            try await host.decide(
                .allow(Terms(access: .raw, maximumRate: 1)), "sensor:gauge", by: "curl")
            // One second, of which the grant permits the first sample.
            for (number, time) in [1_000_000, 1_100_000, 1_200_000].enumerated() {
                await host.gauge(Double(number), at: Timestamp(microseconds: Int64(time)))
            }
            try await host.stream(after: "0", token: token) { events in
                await events.read { $0.text.contains("id: 3\n\n") }
                #expect(events.ids == [1])
                #expect(!events.text.contains("event: gap"))
            }
        }
    }

    @Test func `a client that reconnects gets the gap of samples that are too old for its grant`()
        async throws
    {
        try await ServedHost.with { host async throws in
            try await host.declareSensor("walk", numbers: "x")
            let token = try await host.client()
            try await host.decide(
                .allow(Terms(access: .raw, history: .seconds(60))), "sensor:walk", by: "curl")
            let now = host.clock.now.microseconds / 1000
            func walk(_ count: Int, _ time: Int64) async throws {
                let rows = (0..<count).map { #"{"t": \#(time), "x": \#($0)}"# }
                try await host.feedSensor("[\(rows.joined(separator: ","))]", to: "walk")
            }
            // Six groups: some completely too old, one partly.
            try await walk(2550, now - 61_000)
            try await walk(50, now)
            try await host.stream(of: "walk", after: "10", token: token) { events async throws in
                await events.read { $0.ids.count >= 50 }
                #expect(events.ids == Array(2551...2600))
                let gap = #"event: gap\#ndata: {"after":10,"reason":"history","through":2550}"#
                #expect(events.text.ranges(of: "event: gap").count == 1)
                let place = try #require(events.text.firstRange(of: gap)).lowerBound
                let sample = try #require(events.text.firstRange(of: "event: sample")).lowerBound
                #expect(place < sample)
                // Late samples that arrive while it is connected are not a gap.
                try await walk(1, now - 61_000)
                try await walk(1, now)
                await events.read { $0.ids.count >= 51 }
                #expect(events.ids.last == 2602)
                #expect(events.text.ranges(of: "event: gap").count == 1)
            }
            // Without permitted samples it still gets its position.
            try await walk(1, now - 61_000)
            try await host.stream(of: "walk", after: "2602", token: token) { events in
                await events.read { $0.text.contains("id: 2603\n\n") }
                #expect(events.ids.isEmpty)
                #expect(events.text.ranges(of: "event: gap").count == 1)
            }
        }
    }

    @Test func `many missed samples are sent in several groups`() async throws {
        try await ServedHost.with { host in
            for level in 1...1001 { await host.gauge(Double(level)) }
            try await host.stream(after: "0") { events in
                await events.read { $0.ids.count >= 1001 }
                #expect(events.ids == Array(1...1001))
            }
        }
    }

    @Test(arguments: ["x", "-1", "3", "1.5", "9223372036854775808", "1,2", "0x1"])
    func `an invalid id is rejected`(id: String) async throws {
        try await ServedHost.with { host in
            for level in 1...2 { await host.gauge(Double(level)) }
            let answer = try await host.send(
                Call(
                    "GET", "/api/v1/sensors/gauge/stream", token: host.owner,
                    headers: [("Last-Event-ID", id)]))
            #expect(answer.status == 400)
            #expect(try answer.json()["detail"]?.string?.hasPrefix("Last-Event-ID: ") == true)
        }
    }

    @Test(arguments: [Decision.deny, .statisticsOnly])
    func `a stream ends with a problem when permission does`(decision: Decision) async throws {
        try await ServedHost.with { host in
            let token = try await host.client(allow: ["sensor:gauge"])
            try await host.stream(token: token) { events async throws in
                await host.gauge(1)
                await events.read { $0.ids.count >= 1 }
                try await host.decide(decision, "sensor:gauge", by: "curl")
                await host.gauge(2)
                await events.read { _ in false }
                #expect(events.ids == [1])
                let code = decision == .deny ? "denied" : "statistics-only"
                #expect(events.text.contains("event: problem\ndata: {"))
                #expect(events.text.contains(#""code":"\#(code)""#))
                #expect(events.text.hasSuffix("0\r\n\r\n"))
            }
        }
    }

    @Test func `a stream ends with a problem when the token does`() async throws {
        try await ServedHost.with { host in
            let token = try await host.client(allow: ["sensor:gauge"])
            try await host.stream(token: token) { events async throws in
                try await host.authority.revokeClient("curl")
                await host.gauge(1)
                await events.read { _ in false }
                #expect(events.ids.isEmpty)
                #expect(events.text.contains(#""code":"invalid-token""#))
            }
        }
    }

    @Test func `an idle stream sends heartbeats`() async throws {
        try await ServedHost.with(heartbeat: .milliseconds(2)) { host in
            try await host.stream { events async throws in
                await events.read { $0.heartbeats >= 3 }
                #expect(events.heartbeats >= 3)
                await host.gauge(1)
                await events.read { $0.ids == [1] }
                #expect(events.ids == [1])
            }
        }
    }

    @Test func `the samples of a stream are in the access log`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client(allow: ["sensor:gauge"])
            for level in 1...3 { await host.gauge(Double(level)) }
            try await host.stream(after: "0", token: token) { events async throws in
                await events.read { $0.ids.count >= 3 }
            }
            let lines = try await host.authority.log.entries(AccessLogQuery(client: "curl"))
            #expect(lines.filter { $0.operation == "stream" }.map(\.count).reduce(0, +) == 3)
        }
    }
}
