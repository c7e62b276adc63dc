import Auth
import Samples
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct VirtualSensorTests {
    private static let path = "/api/v1/sensors/virtual.pace"
    private static let definition = """
        {"title": "Pace", "inputs": ["steps.count"], "window": "1s",
         "outputs": [{"name": "mean", "unit": "1", "by": "mean"}, {"name": "most", "by": "max"}]}
        """

    private static func put(
        _ host: ServedHost, _ json: String = definition, token: String? = nil
    ) async throws -> Answer {
        try await host.send(Call("PUT", path, token: token ?? host.owner, json: json))
    }

    /// `steps` with five samples in the first two seconds after 1970.
    private static func steps(_ host: ServedHost) async throws {
        try await host.declareSteps()
        _ = try await host.publish(
            "t,count,mood\n0,2,up\n500,4,up\n1000,5,up\n1500,7,up\n1999,9,up\n", as: "text/csv")
    }

    @Test func `a defined sensor is listed as virtual and computed when it is read`() async throws {
        try await ServedHost.with { host async throws in
            try await Self.steps(host)
            let answer = try await Self.put(host)
            #expect(answer.status == 201)
            #expect(answer["location"] == Self.path)
            let sensor = try await host.send(Call("GET", Self.path, token: host.owner)).json()
            #expect(sensor["source"]?.string == "virtual")
            #expect(sensor["definition"]?["window"]?.string == "1s")
            let samples = Call(
                "GET", Self.path + "/samples", token: host.owner,
                headers: [("Accept", "text/csv")])
            #expect(
                try await host.send(samples).text
                    == "t,mean,most\r\n1000,3.0,4.0\r\n2000,7.0,9.0\r\n")
            let page = try await host.send(
                Call("GET", Self.path + "/samples?limit=1", token: host.owner)
            ).json()
            let cursor = page["next"]?.string ?? ""
            let next = try await host.send(
                Call("GET", Self.path + "/samples?cursor=\(cursor)", token: host.owner)
            ).json()
            #expect(next["items"]?.array?.compactMap { $0["t"]?.number?.double } == [2000])
            let latest = try await host.send(
                Call("GET", Self.path + "/latest", token: host.owner)
            ).json()
            #expect(latest["most"]?.number?.double == 9)
            let stats = try await host.send(
                Call("GET", Self.path + "/stats?fn=max&fields=mean", token: host.owner))
            #expect(stats.status == 200)
            #expect(stats.text.contains("7"))
        }
    }

    @Test func `an app needs a grant only for the virtual sensor, not for its inputs`() async throws
    {
        try await ServedHost.with { host async throws in
            try await Self.steps(host)
            _ = try await Self.put(host)
            let other = try await host.client(allow: ["sensor:gauge"])
            let call = Call("GET", Self.path + "/samples", token: other)
            #expect(try await host.send(call).status == 403)
            let app = try await host.client("watcher", allow: ["sensor:virtual.pace"])
            let granted = try await host.send(Call("GET", Self.path + "/samples", token: app))
            #expect(try granted.json()["items"]?.array?.count == 2)
            let input = Call("GET", "/api/v1/sensors/steps/samples", token: app)
            #expect(try await host.send(input).status == 403)
        }
    }

    @Test func `its stream has a window when a sample of an input closes it`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSensor("walk", numbers: "x")
            let definition = #"""
                {"inputs": ["walk.x"], "window": "1s", "outputs": [{"name": "a", "by": "sum"}]}
                """#
            #expect(try await Self.put(host, definition).status == 201)
            let second = host.clock.now.microseconds / 1_000_000 + 1
            host.clock.now = Timestamp(microseconds: second * 1_000_000)
            let token = try await host.client(allow: ["sensor:virtual.pace"])
            try await host.stream(of: "virtual.pace", token: token) { events async throws in
                for number in [2, 3, 4] {
                    let answer = try await host.publish(#"{"x": \#(number)}"#, to: "walk")
                    #expect((200..<300).contains(answer.status))
                    host.clock.advance(.seconds(1))
                }
                await events.read { $0.ids.count >= 2 }
                let sums = events.text.matches(of: /"a":([0-9.]+)/).map { String($0.1) }
                #expect(sums == ["2.0", "3.0"])
            }
        }
    }

    @Test func `a virtual sensor accepts no samples, and can be removed`()
        async throws
    {
        try await ServedHost.with { host async throws in
            try await Self.steps(host)
            _ = try await Self.put(host)
            let sample = try await host.publish(#"{"mean":5,"most":6}"#, to: "virtual.pace")
            #expect(sample.status == 409)
            #expect(try await Self.put(host).status == 200)
            #expect(try await Self.put(host, #"{"fields":[{"name":"a"}]}"#).status == 409)
            let removal = Call("DELETE", Self.path, token: host.owner)
            #expect(try await host.send(removal).status == 204)
            #expect(
                try await host.send(Call("GET", Self.path, token: host.owner)).status == 404)
        }
    }

    @Test(
        arguments: [
            (#"{"inputs":["nothing.x"],"window":"1s","outputs":[{"name":"a","by":"mean"}]}"#, 422),
            (#"{"inputs":["steps.mood"],"window":"1s","outputs":[{"name":"a","by":"mean"}]}"#, 422),
            (
                #"{"inputs":["steps.count"],"window":"1s","outputs":[{"name":"t","by":"mean"}]}"#,
                422
            ),
            (#"{"inputs":["steps.count"],"window":"1s","outputs":[]}"#, 422),
            (#"{"inputs":["steps.count"],"outputs":[{"name":"a","by":"mean"}]}"#, 400),
            (
                #"{"inputs":["steps.count"],"window":"1s","step":"1s","outputs":[{"name":"a","by":"mean"}]}"#,
                400
            ),
            (
                #"{"inputs":["steps.count"],"window":"1s","outputs":[{"name":"a","by":"mean","at":1}]}"#,
                400
            ),
            (
                #"{"name":"virtual.other","inputs":["steps.count"],"window":"1s","outputs":[{"name":"a","by":"mean"}]}"#,
                400
            ),
        ])
    func `an invalid definition is rejected`(json: String, status: Int) async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSteps()
            #expect(try await Self.put(host, json).status == status)
        }
    }

    @Test func `only the owner defines`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client(allow: ["sensor:gauge"])
            #expect(try await Self.put(host, token: token).code == "owner-only")
        }
    }
}
