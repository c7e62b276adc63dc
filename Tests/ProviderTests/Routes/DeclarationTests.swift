import Auth
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct DeclarationTests {
    private static func put(
        _ host: ServedHost, _ sensor: String, _ json: String, token: String? = nil
    ) async throws -> Answer {
        try await host.send(
            Call("PUT", "/api/v1/sensors/\(sensor)", token: token ?? host.owner, json: json))
    }

    @Test func `a declared sensor is listed, is on and has its fields`() async throws {
        try await ServedHost.with { host async throws in
            let answer = try await host.declareSteps()
            #expect(answer.status == 201)
            #expect(answer["location"] == "/api/v1/sensors/steps")
            let sensor = try await host.send(
                Call("GET", "/api/v1/sensors/steps", token: host.owner)
            ).json()
            #expect(sensor["title"]?.string == "Steps")
            #expect(sensor["available"]?.bool == true)
            #expect(sensor["level"]?.string != "off")
            let fields = sensor["fields"]?.array ?? []
            #expect(fields.compactMap { $0["name"]?.string } == ["count", "mood"])
            #expect(fields.first?["unit"]?.string == "1")
        }
    }

    @Test func `a sensor that is declared again keeps its samples`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            _ = try await host.publish("t,count,mood\n1,5,up\n", as: "text/csv")
            let fields = #"{"fields":[{"name":"count","kind":"integer"}]}"#
            #expect(try await Self.put(host, "steps", fields).status == 200)
            let old = try await host.publish(#"{"count":5,"mood":"up"}"#)
            #expect(old.status == 422)
            #expect(try await host.publish(#"{"t":2,"count":6}"#).status == 201)
            let csv = try await host.send(
                Call(
                    "GET", "/api/v1/sensors/steps/samples", token: host.owner,
                    headers: [("Accept", "text/csv")]))
            #expect(csv.text == "t,count\r\n1,5\r\n2,6\r\n")
        }
    }

    @Test func `a removed sensor is not listed, and its samples return with it`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            _ = try await host.publish("t,count,mood\n1,5,up\n", as: "text/csv")
            let path = "/api/v1/sensors/steps"
            #expect(try await host.send(Call("DELETE", path, token: host.owner)).status == 204)
            #expect(try await host.send(Call("GET", path, token: host.owner)).status == 404)
            #expect(try await host.publish(#"{"count":5,"mood":"up"}"#).status == 404)
            try await host.declareSteps()
            #expect(try await host.steps() == "1,5,\"up\"\n")
        }
    }

    @Test(arguments: [
        #"{"fields":[]}"#, #"{"fields":[{"name":"t"}]}"#, #"{"fields":[{"name":"X"}]}"#,
        #"{"fields":[{"name":"a"},{"name":"a"}]}"#, #"{"fields":[{"name":"a b"}]}"#,
        #"{"fields":[{"name":"a","unit":"m s"}]}"#, #"{"fields":[{"name":"a","unit":""}]}"#,
        #"{"fields":[{"name":"a","unit":"m","kind":"text"}]}"#,
        #"{"title":"","fields":[{"name":"a"}]}"#, #"{"title":"a\u202Eb","fields":[{"name":"a"}]}"#,
    ])
    func `an invalid declaration is rejected`(json: String) async throws {
        try await ServedHost.with { host async throws in
            let answer = try await Self.put(host, "steps", json)
            #expect(answer.status == 422)
            #expect(answer.code == "invalid-sensor")
        }
    }

    @Test func `the machine's own sensors cannot be declared or removed`() async throws {
        try await ServedHost.with { host async throws in
            for sensor in ["gauge", "battery"] {
                let answer = try await Self.put(host, sensor, #"{"fields":[{"name":"a"}]}"#)
                #expect(answer.status == 409)
                let call = Call("DELETE", "/api/v1/sensors/\(sensor)", token: host.owner)
                #expect(try await host.send(call).status == 409)
            }
        }
    }

    @Test func `only the owner declares`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client(allow: ["sensor:gauge"])
            let json = #"{"fields":[{"name":"a"}]}"#
            #expect(try await Self.put(host, "steps", json, token: token).status == 403)
            let call = Call("DELETE", "/api/v1/sensors/gauge", token: token)
            #expect(try await host.send(call).code == "owner-only")
        }
    }
}
