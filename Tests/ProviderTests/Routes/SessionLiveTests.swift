import Auth
import Foundation
import NIOCore
import Samples
import Testing
import Text

@testable import Provider

/// The measurements of an active session.
@Suite(.timeLimit(.minutes(10)))
struct SessionLiveTests {
    private func live(
        _ host: ServedHost, _ id: String = "walk", token: String? = nil,
        _ body: (EventReader) async throws -> Void
    ) async throws {
        let call = Call("GET", "/api/v1/sessions/\(id)/live", token: token ?? host.owner)
        let bytes = call.bytes(standardHost: "localhost:\(host.port)")
        try await TCPConnection.with(port: host.port) { reader, writer in
            try await writer.write(ByteBuffer(bytes: bytes))
            try await body(EventReader(reader))
        }
    }

    private func items(_ events: EventReader) throws -> [JSONValue] {
        try events.text.matches(of: /event: live\ndata: ([^\n]*)\n\n/).map {
            try StrictJSON().parse(Array($0.1.utf8))
        }
    }

    /// Waits for a number of events.
    private func read(_ count: Int, _ events: EventReader) async throws -> [JSONValue] {
        await events.read { $0.text.ranges(of: "event: live\n").count >= count }
        return try items(events)
    }

    /// A session with sensors of steps, altitude, activity and location.
    private func makeRun(_ host: ServedHost) async throws {
        try await host.declareSensor("location", numbers: "latitude", "longitude", "accuracy")
        try await host.declareSensor("steps", numbers: "steps")
        try await host.declareSensor("altitude", numbers: "altitude")
        let fields =
            #"[{"name": "activity", "kind": "state"}, {"name": "confidence", "kind": "state"}]"#
        let declared = try await host.send(
            Call(
                "PUT", "/api/v1/sensors/activity", token: host.owner,
                json: #"{"title": "Activity", "fields": \#(fields)}"#))
        #expect(declared.status < 300, "\(declared.text)")
        let made = try await host.sessions(
            "POST",
            json:
                #"{"id": "walk", "name": "A run", "sensors": ["location", "steps", "altitude", "activity"]}"#
        )
        #expect(made.status == 201, "\(made.text)")
    }

    private func feed(_ host: ServedHost, _ sensor: String, _ members: String) async throws {
        try await host.feedSensor(
            #"{"t": \#(host.clock.now.milliseconds), \#(members)}"#, to: sensor)
    }

    @Test func `an event comes each second of an injected clock, and none between`()
        async throws
    {
        let metronome = Metronome()
        try await ServedHost.with(sleep: { try await metronome.sleep($0) }) { host in
            // Not on a whole second: the next event is due on one.
            host.clock.now = Timestamp(microseconds: 1_700_000_000_250_000)
            try await host.makeWalk()
            try await host.walk("start")
            try await live(host) { events in
                _ = try await read(1, events)
                var expected = [1_700_000_000_250.0]
                for second in 1...30 {
                    let wait = try #require(await metronome.asked())
                    #expect(wait == (second == 1 ? .milliseconds(750) : .seconds(1)))
                    host.clock.advance(wait)
                    metronome.tick()
                    expected.append(1_700_000_000_000 + Double(second) * 1000)
                    let items = try await read(second + 1, events)
                    #expect(items.compactMap { $0["t"]?.number?.double } == expected)
                }
                let last = try #require(try items(events).last)
                #expect(last["elapsed"]?.number?.double == 29_750)
                #expect(last["state"]?.string == "active")
                // No sensor has a sample.
                #expect(last["text"]?.string?.isEmpty == true)
                for name in ["distance", "steps", "floors", "pace", "activity"] {
                    #expect(last[name] == nil)
                }
            }
        }
    }

    @Test func `an event contains the measurements of the session, as text and as numbers`()
        async throws
    {
        let metronome = Metronome()
        try await ServedHost.with(sleep: { try await metronome.sleep($0) }) { host in
            host.clock.now = Timestamp(microseconds: 1_700_000_000_000_000)
            try await makeRun(host)
            try await feed(host, "steps", #""steps": 70000"#)
            host.clock.advance(.seconds(1))
            try await host.walk("start")
            // In the first seconds a route ignores positions.
            host.clock.advance(.seconds(6))
            for second in 0..<5 {
                try await feed(host, "steps", #""steps": \#(70_100 + second * 3)"#)
                try await feed(host, "altitude", #""altitude": \#(Double(second) * 2)"#)
                try await host.go(to: Double(second) * 12, after: 4)
            }
            try await feed(host, "activity", #""activity": "running", "confidence": "high""#)
            try await live(host) { events in
                let first = try #require(try await read(1, events).last)
                #expect(first["text"]?.string == "48.00m | 12 steps | 2 floors")
                #expect(first["steps"]?.number?.double == 12)
                #expect(first["floors"]?.number?.double == 2)
                #expect(abs((first["distance"]?.number?.double ?? 0) - 48) < 0.001)
                // Sixteen seconds between the first position and the last.
                #expect(abs((first["pace"]?.number?.double ?? 0) - 16.0 / 48) < 0.001)
                #expect(first["activity"]?.string == "running")
                #expect(first["confidence"]?.string == "high")
                try await host.go(to: 60.5, after: 1)
                try await feed(host, "steps", #""steps": 70120"#)
                _ = await metronome.asked()
                metronome.tick()
                let second = try #require(try await read(2, events).last)
                #expect(second["text"]?.string == "60.50m | 20 steps | 2 floors")
                // A pause stops the counters.
                host.clock.advance(.seconds(1))
                try await host.walk("pause")
                try await host.go(to: 90, after: 10)
                try await feed(host, "steps", #""steps": 70900"#)
                _ = await metronome.asked()
                metronome.tick()
                let third = try #require(try await read(3, events).last)
                #expect(third["state"]?.string == "paused")
                #expect(third["text"]?.string == second["text"]?.string)
                #expect(third["pace"] == nil)
                #expect(third["activity"] == nil)
                try await host.walk("finish")
                _ = await metronome.asked()
                metronome.tick()
                // The stream ends with the session.
                await events.read { _ in false }
                let last = try #require(try items(events).last)
                #expect(last["finished"]?.bool == true)
                #expect(last["text"]?.string == second["text"]?.string)
                #expect(try items(events).count == 4)
            }
        }
    }

    @Test func `live sessions are for the owner, and end when the session is deleted`()
        async throws
    {
        let metronome = Metronome()
        try await ServedHost.with(sleep: { try await metronome.sleep($0) }) { host in
            try await host.makeWalk()
            let client = try await host.client("curl", allow: ["sensor:location"])
            try await live(host, token: client) { events in
                await events.read { $0.text.contains("HTTP/1.1 403") }
            }
            try await live(host, "none") { events in
                await events.read { $0.text.contains("HTTP/1.1 404") }
            }
            try await live(host) { events in
                _ = try await read(1, events)
                #expect(try await host.sessions("DELETE", "/walk").status == 204)
                _ = await metronome.asked()
                metronome.tick()
                await events.read { _ in false }
                #expect(events.text.contains("event: problem"))
                #expect(events.text.contains("not-found"))
            }
        }
    }

    @Test func `all clients share the same sessions`() async throws {
        try await ServedHost.with { host in
            try await host.makeWalk()
            // Only one of a hundred concurrent starts succeeds, and all see the same state.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await host.sessions("POST", "/walk/start").status }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 1, 409: 99])
            #expect(try await host.sessions("GET", "/walk").json()["state"]?.string == "active")
        }
    }
}
