import Auth
import Samples
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct SenMLRouteTests {
    private static let type = "application/senml+json"
    private static let fields =
        #"{"fields":[{"name":"level","unit":"%"},{"name":"mood","kind":"state"}]}"#

    private static func declare(_ host: ServedHost) async throws {
        let answer = try await host.send(
            Call("PUT", "/api/v1/sensors/tank", token: host.owner, json: fields))
        #expect(answer.status == 201)
    }

    private static func get(
        _ host: ServedHost, _ path: String, accept: String = type
    ) async throws -> Answer {
        try await host.send(
            Call(
                "GET", "/api/v1/sensors/tank/\(path)", token: host.owner,
                headers: [("Accept", accept)]))
    }

    @Test func `a published pack is read as a pack, and its newest sample as one`() async throws {
        try await ServedHost.with { host async throws in
            try await Self.declare(host)
            let second = host.clock.now.microseconds / 1_000_000 - 10
            let pack = """
                [{"bn":"urn:dev:mac:1/","bt":\(second),"n":"level","u":"%EL","v":40},
                {"n":"mood","vs":"on"},{"n":"level","u":"/","t":1,"v":0.5},
                {"n":"mood","t":1,"vs":"off"}]
                """
            let published = try await host.publish(pack, as: Self.type, to: "tank", key: "a")
            #expect(published.status == 201)
            #expect(try published.json()["accepted"]?.number?.int64 == 2)
            let repeated = try await host.publish(pack, as: Self.type, to: "tank", key: "a")
            #expect(repeated["nervous-repeated"] == "true")

            let samples = try await Self.get(host, "samples")
            #expect(samples["content-type"] == Self.type)
            #expect(samples["vary"] == "Accept")
            #expect(
                samples.text == #"[{"bn":"tank/","bt":\#(second),"n":"level","u":"%","v":40.0},"#
                    + #"{"n":"mood","vs":"on"},{"bt":\#(second + 1),"n":"level","u":"%","v":50.0},"#
                    + #"{"n":"mood","vs":"off"}]"#)
            let latest = try await Self.get(host, "latest")
            #expect(latest["content-type"] == Self.type)
            #expect(
                latest.text == #"[{"bn":"tank/","bt":\#(second + 1),"n":"level","u":"%","v":50.0},"#
                    + #"{"n":"mood","vs":"off"}]"#)
            let page = try await Self.get(host, "samples?limit=1")
            #expect(page["link"]?.contains("cursor=") == true)
            let object = try await Self.get(host, "latest", accept: "*/*")
            #expect(object["content-type"] == "application/json")
        }
    }

    @Test func `a pack is never empty, and has no times before 1978`() async throws {
        try await ServedHost.with { host async throws in
            try await Self.declare(host)
            let empty = try await Self.get(host, "samples")
            #expect(empty.status == 204 && empty.body.isEmpty && empty["content-type"] == nil)
            _ = try await host.publish(
                #"{"t":1000,"level":1,"mood":"on"}"#, to: "tank")
            #expect(try await Self.get(host, "samples").status == 406)
            #expect(try await Self.get(host, "latest").status == 406)
            #expect(try await Self.get(host, "samples", accept: "text/csv").status == 200)
        }
    }

    @Test func `a pack that does not fit the sensor is refused as a whole`() async throws {
        try await ServedHost.with { host async throws in
            try await Self.declare(host)
            let answer = try await host.publish(
                #"[{"n":"d/level","u":"Cel","v":1},{"n":"d/mood","vs":"on"}]"#, as: Self.type,
                to: "tank")
            #expect(answer.status == 422 && answer.code == "invalid-sample")
            #expect(answer.text.contains("cannot be converted"))
            #expect(try await Self.get(host, "samples").status == 204)
        }
    }
}
