import Auth
import Foundation
import Testing
import Text

@testable import Provider

/// Nervousnet apps, which request privileges at first use.
struct FirstUseTests {
    private static func with(
        _ body: @Sendable (ServedHost, String) async throws -> Void
    ) async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("light", fields: [("illuminance", "number")])
            try await host.feedSensor(#"{"illuminance": 5}"#, to: "light")
            try await host.installPublished()
            try await body(host, try await host.begin("old-one").token)
        }
    }

    private static func read(_ host: ServedHost, _ token: String) async throws -> Answer {
        try await host.send(
            Call(
                "GET", "/nervousnet-api/raw-sensor-data/Light", token: token,
                host: "old-one.localhost:\(host.port)"))
    }

    private static func opened(_ host: ServedHost) async throws -> [JSONValue] {
        while true {
            let answer = try await host.send(Call("GET", "/api/v1/requests", token: host.owner))
            let items = try answer.json()["items"]?.array ?? []
            guard items.isEmpty else { return items }
        }
    }

    @Test func `the call waits until the owner answers`() async throws {
        try await Self.with { host, token in
            async let answer = Self.read(host, token)
            let request = try #require(try await Self.opened(host).first)
            #expect(request["client"]?.string == "old-one")
            #expect(request["privilege"]?.string == "sensor:light")
            #expect(request["reveals"]?.string?.hasPrefix("whether you are in the room") == true)
            let decision = try await host.send(
                Call(
                    "PUT", "/api/v1/grants/old-one/sensor:light", token: host.owner,
                    json: #"{"decision": "allow-always"}"#))
            #expect(decision.status == 200)
            #expect(try await answer.text == #"{"lux":5.0}"#)
        }
    }

    @Test func `a dismissed request is refused with a hint`() async throws {
        try await Self.with { host, token in
            async let answer = Self.read(host, token)
            _ = try await Self.opened(host)
            let left = try await host.send(
                Call("DELETE", "/api/v1/requests/old-one/sensor:light", token: host.owner))
            #expect(left.status == 204)
            let refused = try await answer
            #expect(refused.status == 403)
            #expect(refused.code == "undecided")
            #expect(
                try refused.json()["fix"]?.string == "Ask the owner to allow sensor:light.")
        }
    }

    @Test func `an app can request a privilege, and query its state`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let token = try await host.begin().token
            let origin = "my-app.localhost:\(host.port)"
            func state(_ privilege: String) async throws -> String? {
                try await host.send(
                    Call("GET", "/api/v1/permissions/\(privilege)", token: token, host: origin)
                ).json()["state"]?.string
            }
            #expect(try await state("sensor:gauge") == "prompt")
            async let answer = host.send(
                Call(
                    "POST", "/api/v1/permissions/request", token: token, host: origin,
                    json: #"{"privilege": "sensor:gauge"}"#))
            _ = try await Self.opened(host)
            try await host.decide(.statisticsOnly, "sensor:gauge", by: "my-app")
            #expect(try await answer.json()["state"]?.string == "denied")
            #expect(try await state("sensor:gauge") == "denied")
            #expect(try await state("sensor:gauge:stats") == "granted")
            let undeclared = try await host.send(
                Call(
                    "POST", "/api/v1/permissions/request", token: token, host: origin,
                    json: #"{"privilege": "sensor:quiet"}"#))
            #expect(undeclared.code == "undeclared")
        }
    }
}
