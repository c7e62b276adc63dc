import Auth
import Foundation
import Samples
import TestSupport
import Testing
import Text
import VM

/// Sensor packs, from installation to the samples of their sensors.
@Suite(.timeLimit(.minutes(10)))
struct PackTests {
    private static func pack(_ id: String, _ more: String = "", rate: Int = 200) -> String {
        """
        {"id": "\(id)", "title": "A made-up gyroscope", "version": "1.2",
         "fields": [{"name": "x", "unit": "rad/s"}, {"name": "turns", "unit": "deg/s", "from": "x",
                     "scale": 57.29577951308232}],
         "source": {"kind": "simulated", "sensor": "gyroscope", "scenario": "walk",
                    "rate": \(rate)}\(more)}
        """
    }

    private static func install(
        _ host: ServedHost, _ id: String, _ text: String
    ) async throws -> Answer {
        try await host.send(
            Call("PUT", "/api/v1/sensor-packs/\(id)", token: host.owner, json: text))
    }

    private static func sensor(_ host: ServedHost, _ id: String) async throws -> JSONValue {
        try await host.send(Call("GET", "/api/v1/sensors/\(id)", token: host.owner)).json()
    }

    /// Collects while `body` runs.
    private static func collecting(
        _ host: ServedHost, _ body: () async throws -> Void
    ) async throws {
        let collecting = Task { await host.machine.collect() }
        do {
            try await body()
        } catch {
            collecting.cancel()
            await collecting.value
            throw error
        }
        collecting.cancel()
        await collecting.value
    }

    @Test func `the sensor of a pack exists immediately, and its samples are calibrated`()
        async throws
    {
        try await ServedHost.with(isLive: true) { host async throws in
            try await Self.collecting(host) {
                let answer = try await Self.install(
                    host, "gyroscope.left", Self.pack("gyroscope.left"))
                #expect(answer.status == 201, "\(answer.text)")
                // Signals of arrivals exist only once the sensor is registered.
                try await until {
                    await host.machine.samples.newest(of: "gyroscope.left") != nil
                }
                let sample = try #require(await host.machine.samples.newest(of: "gyroscope.left"))
                let values = sample.values.compactMap(\.double)
                #expect(abs(values[0] * 180 / .pi - values[1]) < 1e-9)
                let sensor = try await Self.sensor(host, "gyroscope.left")
                #expect(sensor["connection"]?["state"]?.string == "connected")
                #expect((sensor["connection"]?["taken"]?.number?.double ?? 0) > 0)
                // An app can request it like any other sensor.
                let token = try await host.client("app", allow: ["sensor:gyroscope.left"])
                let latest = try await host.send(
                    Call("GET", "/api/v1/sensors/gyroscope.left/latest", token: token))
                #expect(latest.status == 200)
            }
        }
    }

    @Test func `several sensors of a kind can be installed`() async throws {
        try await ServedHost.with { host async throws in
            for id in ["gyroscope.left", "gyroscope.right", "gyroscope.chest"] {
                #expect(try await Self.install(host, id, Self.pack(id)).status == 201)
            }
            let packs = try await host.send(
                Call("GET", "/api/v1/sensor-packs", token: host.owner)
            ).json()
            #expect(
                packs["items"]?.array?.compactMap { $0["id"]?.string }
                    == ["gyroscope.chest", "gyroscope.left", "gyroscope.right"])
            #expect(await host.machine.instances(of: "gyroscope").count == 3)
        }
    }

    @Test func `a removed pack is not read, and its samples are kept`() async throws {
        try await ServedHost.with(isLive: true) { host async throws in
            try await Self.collecting(host) {
                var signals = await host.machine.samples.arrivalSignals(of: "gyroscope.left")
                    .makeAsyncIterator()
                _ = try await Self.install(host, "gyroscope.left", Self.pack("gyroscope.left"))
                _ = await signals.next()
                let gone = try await host.send(
                    Call("DELETE", "/api/v1/sensor-packs/gyroscope.left", token: host.owner))
                #expect(gone.status == 204)
                #expect(
                    try await Self.sensor(host, "gyroscope.left")["code"]?.string
                        == "unknown-sensor")
                let removed = Timestamp.now().milliseconds
                _ = try await Self.install(host, "gyroscope.left", Self.pack("gyroscope.left"))
                let oldest = try await host.send(
                    Call(
                        "GET", "/api/v1/sensors/gyroscope.left/samples?limit=1",
                        token: host.owner)
                ).json()["items"]?.array?.first
                #expect(try #require(oldest?["t"]?.number?.double) < removed)
            }
        }
    }

    @Test
    func `a sensor is connected only while it is on`()
        async throws
    {
        try await ServedHost.with(isLive: true) { host async throws in
            try await Self.collecting(host) {
                var signals = await host.machine.samples.arrivalSignals(of: "gyroscope.left")
                    .makeAsyncIterator()
                _ = try await Self.install(host, "gyroscope.left", Self.pack("gyroscope.left"))
                _ = await signals.next()
                // Repeating it has no effect.
                for _ in 1...2 { try await host.machine.setLevel(.off, of: "gyroscope.left") }
                try await until {
                    let sensor = try await Self.sensor(host, "gyroscope.left")
                    return sensor["connection"]?["state"]?.string == "disconnected"
                }
                let sequence = await host.machine.samples.lastSequence
                try await host.machine.setLevel(.medium, of: "gyroscope.left")
                try await until { await host.machine.samples.lastSequence != sequence }
                let sensor = try await Self.sensor(host, "gyroscope.left")
                #expect(sensor["connection"]?["connections"]?.number?.int64 == 2)
            }
        }
    }

    @Test func `a pack can be changed before it is installed`() async throws {
        try await ServedHost.with { host async throws in
            let target =
                "/api/v1/sensor-packs?as=gyroscope.right&set=rate=5&set=scenario=ride&set=seed:=7"
            let check = try await host.send(
                Call("POST", target, token: host.owner, json: Self.pack("gyroscope.left"))
            ).json()
            #expect(check["pack"]?["id"]?.string == "gyroscope.right")
            #expect(check["pack"]?["place"]?.string == "simulation, ride")
            let text = try #require(check["text"]?.string)
            #expect(try await Self.install(host, "gyroscope.right", text).status == 201)
            let kept = try await host.send(
                Call("GET", "/api/v1/sensor-packs/gyroscope.right", token: host.owner))
            #expect(kept.text == text)
        }
    }

    @Test(
        arguments: [
            (#"{"id": "a b"}"#, "sensor.title"), ("[]", "is not an object"),
            (#"{"id": "a", "title": "t"}"#, "has no fields"),
            (pack("gyroscope.left", #", "more": 1"#), "sensor.more at 5:"),
            (pack("gyroscope.left", rate: 0), "sensor.source.rate at 5:"),
            (pack("gyroscope.left").replacing("gyroscope\",", with: "nose\","), "is not one of"),
            (pack("gyroscope.left").replacing("simulated", with: "magic"), "is not one of"),
            (pack("gyroscope.left").replacing("walk", with: "fly"), "is not one of still, walk"),
            (
                pack("gyroscope.left").replacing("\"x\", \"unit\"", with: "\"X\", \"unit\""),
                "lowercase letter"
            ),
        ] as [(String, String)])
    func `an invalid pack is rejected with the position`(text: String, reason: String)
        async throws
    {
        try await ServedHost.with { host async throws in
            let answer = try await Self.install(host, "gyroscope.left", text)
            #expect(answer.status == 422)
            let detail = try answer.json()["detail"]?.string ?? ""
            let isNamed = detail.contains(reason) || reason == "sensor.title"
            #expect(isNamed, "\(detail)")
            #expect(await host.machine.status(of: "gyroscope.left") == nil)
        }
    }

    @Test func `only the owner installs packs`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client("app", allow: ["sensor:gauge"])
            let answer = try await host.send(
                Call(
                    "PUT", "/api/v1/sensor-packs/gyroscope.left", token: token,
                    json: Self.pack("gyroscope.left")))
            #expect(answer.status == 403)
        }
    }
}
