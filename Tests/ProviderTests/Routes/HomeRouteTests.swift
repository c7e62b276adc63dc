import Foundation
import Samples
import Testing
import Text

@testable import Auth
@testable import Provider

/// The calls of the published web server of a home.
@Suite(.timeLimit(.minutes(10)))
struct HomeRouteTests {
    private static let door = [("lock", "state"), ("battery", "number")]

    private static func call(
        _ host: ServedHost, _ method: String, _ path: String, token: String
    ) async throws -> Answer {
        try await host.send(Call(method, "/api/v1/home" + path, token: token))
    }

    /// Runs `body` with a door, a climate and the token of a client that may read both.
    private static func with(
        _ body: @Sendable (ServedHost, String) async throws -> Void
    ) async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("door.front", fields: door)
            try await host.declareSensor("climate.dht", numbers: "temperature", "humidity")
            try await body(
                host, try await host.client("tablet", allow: ["sensor:door", "sensor:climate"]))
        }
    }

    private static func feed(
        _ lock: String, _ battery: Double, _ host: ServedHost
    ) async throws {
        try await host.feedSensor(
            #"{"lock": "\#(lock)", "battery": \#(battery)}"#, to: "door.front")
    }

    // MARK: - Climate

    @Test(
        arguments: [
            (28.2, 41.5, "28.2", "41.5"), (-0.04, 100, "0.0", "100.0"),
            (-3.25, 0, "-3.3", "0.0"), (21, 40.25, "21.0", "40.3"),
        ])
    func `temperature and humidity are texts with one decimal`(
        temperature: Double, humidity: Double, shown: String, percent: String
    ) async throws {
        try await Self.with { host, token in
            try await host.feedSensor(
                #"{"temperature": \#(temperature), "humidity": \#(humidity)}"#, to: "climate.dht")
            let answer = try await Self.call(host, "GET", "/temperature", token: token)
            #expect(answer.status == 200)
            #expect(answer.text == #"{"humidity":"\#(percent)","temperature":"\#(shown)"}"#)
        }
    }

    @Test func `a sensor without samples, that is stale or missing is a failure`() async throws {
        try await Self.with { host, token in
            func expectFailure(_ path: String) async throws {
                let answer = try await Self.call(host, "GET", path, token: token)
                #expect(answer.status == 500, "\(path)")
                #expect(answer.text == #"{"error":"Could not read sensor"}"#, "\(path)")
            }
            try await expectFailure("/temperature")
            for _ in 1...3 {
                host.clock.advance(.seconds(1))
                try await host.feedSensor(
                    #"{"temperature": 20, "humidity": 40}"#, to: "climate.dht")
            }
            #expect(
                try await Self.call(host, "GET", "/temperature", token: token).status == 200)
            host.clock.advance(.seconds(60))
            try await expectFailure("/temperature")
            // A door has no temperature.
            try await Self.feed("locked", 80, host)
            try await expectFailure("/temperature?sensor=door.front")
        }
    }

    @Test func `a sensor that is not on this machine is a failure`() async throws {
        try await ServedHost.with { host in
            let answer = try await Self.call(
                host, "GET", "/temperature?sensor=battery", token: host.owner)
            #expect(answer.text == #"{"error":"Could not read sensor"}"#)
            let none = try await Self.call(host, "GET", "/temperature", token: host.owner)
            #expect(none.text == #"{"error":"Could not read sensor"}"#)
        }
    }

    // MARK: - Door

    @Test func `a door is connected, read and disconnected`() async throws {
        try await Self.with { host, token in
            try await Self.feed("locked", 87.46, host)
            let time = "\(host.clock.now)"
            let connected = try await Self.call(host, "POST", "/door/connect", token: token)
            #expect(connected.status == 200)
            #expect(connected.text == #"{"status":"connected"}"#)
            func body(stale: Bool) -> String {
                #"{"battery":"87.5","doorStatus":"Locked","lastUpdate":"\#(time)","#
                    + #""lastUpdateTime":"\#(time)","lockStatus":"Locked","stale":\#(stale)}"#
            }
            let status = try await Self.call(host, "GET", "/door/status", token: token)
            #expect(status.status == 200)
            #expect(status.text == body(stale: false))
            for _ in 1...2 {
                let answer = try await Self.call(host, "POST", "/door/disconnect", token: token)
                #expect(answer.status == 200)
                #expect(answer.text == #"{"status":"disconnected"}"#)
            }
            // What happens while a client is not connected is not shown to it.
            try await Self.feed("unlocked", 10, host)
            let last = try await Self.call(host, "GET", "/door/status", token: token)
            #expect(last.status == 200)
            #expect(last.text == body(stale: true))
        }
    }

    @Test func `the status is refused before the first connection`() async throws {
        try await Self.with { host, token in
            try await Self.feed("locked", 80, host)
            let answer = try await Self.call(host, "GET", "/door/status", token: token)
            #expect(answer.status == 500)
            #expect(answer.text == #"{"error":"Sensor is not connected"}"#)
            _ = try await Self.call(host, "POST", "/door/disconnect", token: token)
            let again = try await Self.call(host, "GET", "/door/status", token: token)
            #expect(again.status == 500)
        }
    }

    @Test func `an unknown charge is null, and an unknown lock is unknown`() async throws {
        try await Self.with { host, token in
            try await Self.feed("", -1, host)
            _ = try await Self.call(host, "POST", "/door/connect", token: token)
            let status = try await Self.call(host, "GET", "/door/status", token: token).json()
            #expect(status["lockStatus"]?.string == "Unknown")
            #expect(status["battery"]?.content == .null)
        }
    }

    @Test func `two calls that wait for a connection are both answered`() async throws {
        try await Self.with { host, token in
            let other = try await host.client("phone", allow: ["sensor:door"])
            // Without a sample a sensor that clients publish to is not connected.
            async let first = Self.call(host, "POST", "/door/connect", token: token)
            async let second = Self.call(host, "POST", "/door/connect", token: other)
            try await Self.feed("locked", 80, host)
            let answers = try await [first, second]
            #expect(answers.map(\.status) == [200, 200])
            #expect(answers.map(\.text) == Array(repeating: #"{"status":"connected"}"#, count: 2))
        }
    }

    @Test func `a door that does not connect in time could not be found`() async throws {
        try await ServedHost.with(sleep: { _ in }) { host in
            try await host.declareSensor("door.front", fields: Self.door)
            for path in ["/door/connect", "/door/connect?sensor=battery"] {
                let answer = try await Self.call(host, "POST", path, token: host.owner)
                #expect(answer.status == 500)
                #expect(answer.text == #"{"error":"Could not find sensor"}"#)
            }
            let none = try await Self.call(
                host, "POST", "/door/connect?sensor=lock", token: host.owner)
            #expect(none.text == #"{"error":"Could not find sensor"}"#)
        }
    }

    @Test func `the first of two clients to disconnect leaves the other connected`() async throws {
        try await Self.with { host, token in
            let other = try await host.client("phone", allow: ["sensor:door"])
            try await Self.feed("locked", 80, host)
            for client in [token, other] {
                let answer = try await Self.call(host, "POST", "/door/connect", token: client)
                #expect(answer.status == 200)
            }
            _ = try await Self.call(host, "POST", "/door/disconnect", token: token)
            try await Self.feed("unlocked", 80, host)
            let kept = try await Self.call(host, "GET", "/door/status", token: other).json()
            #expect(kept["lockStatus"]?.string == "Unlocked")
            #expect(kept["stale"]?.bool == false)
        }
    }

    @Test func `a door that is switched off while it is connected is stale`() async throws {
        try await Self.with { host, token in
            try await Self.feed("locked", 80, host)
            _ = try await Self.call(host, "POST", "/door/connect", token: token)
            _ = try await host.send(
                Call(
                    "PUT", "/api/v1/collection/door.front", token: host.owner,
                    json: #"{"level":"off"}"#))
            let status = try await Self.call(host, "GET", "/door/status", token: token).json()
            #expect(status["stale"]?.bool == true)
        }
    }

    // MARK: - Permission

    @Test func `a client needs permission for the sensor, and may send its token as a password`()
        async throws
    {
        try await Self.with { host, token in
            try await Self.feed("locked", 80, host)
            let stranger = try await host.client("stranger")
            for (method, path) in [
                ("GET", "/temperature"), ("GET", "/door/status"), ("POST", "/door/connect"),
                ("POST", "/door/disconnect"),
            ] {
                #expect(try await Self.call(host, method, path, token: stranger).status == 403)
                let call = Call(method, "/api/v1/home" + path)
                #expect(try await host.send(call).status == 401)
                let wrong = try await Self.call(host, method, path + "?door=1", token: token)
                #expect(wrong.code == "invalid-parameter")
            }
            var call = Call("POST", "/api/v1/home/door/connect")
            let password = Data("tablet:\(token)".utf8).base64EncodedString()
            call.headers.append(("Authorization", "Basic \(password)"))
            #expect(try await host.send(call).status == 200)
            try await host.decide(.deny, "sensor:door", by: "tablet")
            let denied = try await Self.call(host, "GET", "/door/status", token: token)
            #expect(denied.status == 403)
        }
    }

    // MARK: - Leases

    private static func client(_ name: String, run: String? = nil) -> Client {
        Client(name: name, kind: .client, run: run)
    }

    @Test func `the lease of a client that vanished ends, and each call extends it`() {
        var leases = DeviceLeases<String>()
        let (gone, here, start) = (
            Self.client("gone"), Self.client("here"), ContinuousClock.now
        )
        func after(_ seconds: Int) -> ContinuousClock.Instant {
            start.advanced(by: .seconds(seconds))
        }
        for client in [gone, here] { leases.acquire("door", by: client, at: start) }
        #expect(leases.holders(of: "door", at: after(59)) == 2)
        let isRecorded = leases.record("locked", of: "door", by: here, at: after(59))
        #expect(isRecorded)
        #expect(leases.holders(of: "door", at: after(60)) == 1)
        #expect(!leases.holds("door", gone, at: after(60)))
        let isLate = leases.record("locked", of: "door", by: gone, at: after(60))
        #expect(!isLate)
        #expect(leases.state(of: "door", for: gone, at: after(60)) == nil)
        #expect(leases.holds("door", here, at: after(118)))
        #expect(!leases.holds("door", here, at: after(119)))
        #expect(leases.state(of: "door", for: here, at: after(119 + 3599)) == "locked")
        #expect(leases.state(of: "door", for: here, at: after(119 + 3600)) == nil)
    }

    @Test func `leases belong to one client, run and sensor`() {
        var leases = DeviceLeases<String>()
        let now = ContinuousClock.now
        leases.acquire("door", by: Self.client("a", run: "1"), at: now)
        leases.release("door", by: Self.client("a", run: "2"), at: now)
        leases.release("door", by: Client(name: "a", kind: .app, run: "1"), at: now)
        leases.release("lock", by: Self.client("a", run: "1"), at: now)
        #expect(leases.holders(of: "door", at: now) == 1)
        leases.acquire("door", by: Self.client("a", run: "1"), at: now)
        #expect(leases.holders(of: "door", at: now) == 1)
        leases.release("door", by: Self.client("a", run: "1"), at: now)
        leases.release("door", by: Self.client("a", run: "1"), at: now)
        #expect(leases.holders(of: "door", at: now) == 0)
    }
}
