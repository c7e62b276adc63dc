import Auth
import Samples
import Testing
import Text

@testable import Provider

/// The name of a kind on every route that reads, for every kind that nervousnet apps know.
@Suite(.timeLimit(.minutes(10)))
struct KindRouteTests {
    /// A kind with the fields that nervousnet apps read, and its name in their calls.
    private struct Kind: Sendable {
        let id: SensorID
        let published: String
        let fields: [String]

        init(_ form: PublishedSensor) {
            id = form.sensor
            published = form.name
            let names = form.fields.map { field in
                switch field.origin {
                case .field(let name): name
                case .flag(let name, _): name
                }
            }
            fields = Set(names).sorted()
        }

        var json: String { "{" + fields.map { #""\#($0)": 1"# }.joined(separator: ",") + "}" }

        /// A call of each route that reads samples, by the name of the kind.
        func calls(_ token: String) -> [Call] {
            let native = ["latest", "samples", "samples?limit=20000", "stats?fn=max"].map {
                Call("GET", "/api/v1/sensors/\(id)/\($0)", token: token)
            }
            let analysis = Call(
                "POST", "/api/v1/analyze", token: token,
                json: """
                    {"analysis": "largest", "parameters": {"k": 1},
                     "inputs": ["\(id).\(fields[0])"], "where": ["\(id).\(fields[0])>0"]}
                    """)
            return native + [analysis] + publishedCalls(token)
        }

        func publishedCalls(_ token: String) -> [Call] {
            [
                Call("GET", "/nervousnet-api/raw-sensor-data/\(published)", token: token),
                Call(
                    "GET",
                    "/nervousnet-api/historic-sensor-data?axon=\(published)&start=0&end=9999999999999",
                    token: token),
            ]
        }

        func add(_ instance: String, to host: ServedHost) async throws {
            let fields = fields.map { (name: $0, kind: "number") }
            try await host.declareSensor("\(id).\(instance)", fields: fields)
            try await host.feedSensor(json, to: "\(id).\(instance)")
        }
    }

    private static let kinds = PublishedSensor.all.map { Kind($0) }

    private static func expect(
        _ status: Int, _ code: String? = nil, from calls: [Call], at host: ServedHost
    ) async throws {
        for call in calls {
            let answer = try await host.send(call)
            #expect(answer.status == status, "\(call.target): \(answer.text)")
            if let code { #expect(answer.code == code, "\(call.target): \(answer.text)") }
        }
    }

    @Test func `a kind refers to its only readable sensor on every route`() async throws {
        try await ServedHost.with { host in
            host.clock.now = .now()
            let token = try await host.client()
            for kind in Self.kinds {
                try await kind.add("phone", to: host)
                let path = "/api/v1/sensors/\(kind.id)"
                for (name, allowed) in [(host.owner, true), (token, false)] {
                    if !allowed {
                        try await host.decide(.allowAlways, "sensor:\(kind.id)", by: "curl")
                    }
                    try await Self.expect(200, from: kind.calls(name), at: host)
                    let latest = try await host.send(Call("GET", path + "/latest", token: name))
                    #expect(latest["nervous-sensor"] == "\(kind.id).phone")
                    let one = try await host.send(Call("GET", path, token: name)).json()
                    #expect(one["id"]?.string == "\(kind.id).phone")
                }
                try await host.stream(of: kind.id.description, token: token) { events in
                    #expect(events.text.contains(": the samples of \(kind.id).phone"))
                }
                let state = try await host.send(
                    Call("GET", "/api/v1/permissions/sensor%3A\(kind.id)", token: token)
                ).json()
                #expect(state["state"]?.string == "granted")
            }
        }
    }

    @Test func `of several sensors the client names one, unless it may read only one`() async throws
    {
        try await ServedHost.with { host in
            host.clock.now = .now()
            let token = try await host.client()
            for kind in Self.kinds {
                try await kind.add("phone", to: host)
                try await kind.add("watch", to: host)
                try await host.decide(.allowAlways, "sensor:\(kind.id)", by: "curl")
                for name in [host.owner, token] {
                    try await Self.expect(
                        409, "several-sensors", from: kind.calls(name), at: host)
                }
                let path = "/api/v1/sensors/\(kind.id)"
                let answer = try await host.send(Call("GET", path + "/latest", token: token))
                let fix = try answer.json()["fix"]?.string ?? ""
                #expect(fix.contains("\(kind.id).phone, \(kind.id).watch"))
                #expect(fix.contains("ask the owner to choose the one that \(kind.id) refers to"))
                #expect(
                    try await host.send(Call("GET", path, token: token)).code == "several-sensors")
                try await host.decide(.deny, "sensor:\(kind.id).phone:stats", by: "curl")
                try await Self.expect(
                    403, "denied",
                    from: [
                        Call("GET", "\(path).phone/latest", token: token)
                    ], at: host)
                try await Self.expect(200, from: kind.calls(token), at: host)
                let latest = try await host.send(Call("GET", path + "/latest", token: token))
                #expect(latest["nervous-sensor"] == "\(kind.id).watch")
                let one = try await host.send(Call("GET", path, token: token)).json()
                #expect(one["id"]?.string == "\(kind.id).watch")
            }
        }
    }

    @Test func `a missing kind is reported with a way to add it, and only with permission`()
        async throws
    {
        try await ServedHost.with { host in
            let token = try await host.client()
            for kind in Self.kinds {
                try await Self.expect(403, "undecided", from: kind.calls(token), at: host)
                try await host.decide(.allowAlways, "sensor:\(kind.id)", by: "curl")
                let mine = kind.calls(token).map { ($0, false) }
                for (call, isOwner) in mine + kind.calls(host.owner).map({ ($0, true) }) {
                    let answer = try await host.send(call)
                    // The machine lists hardware that it lacks, such as its battery.
                    #expect(answer.status == (kind.id == "battery" ? 503 : 404), "\(call.target)")
                    let fix = try answer.json()["fix"]?.string ?? ""
                    #expect(
                        isOwner
                            ? fix.contains("nervous sensors add \(kind.id)")
                            : fix == "Ask the owner.", "\(answer.text)")
                }
            }
        }
    }

    @Test func `a refusal does not name sensors that the client may not read`() async throws {
        try await ServedHost.with { host in
            let token = try await host.client()
            let kind = Self.kinds[0]
            try await kind.add("of-ann", to: host)
            for call in kind.calls(token) + [
                Call("GET", "/api/v1/sensors/\(kind.id)", token: token)
            ] {
                let answer = try await host.send(call)
                #expect([403, 404].contains(answer.status))
                #expect(!answer.text.contains("of-ann"), "\(answer.text)")
            }
        }
    }

    @Test func `publishing goes to the sensor that is named or was chosen`() async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("steps.left", numbers: "count")
            let token = try await host.client(allow: ["sensor:steps:write"])
            let answer = try await host.publish(#"{"count": 5}"#, to: "steps", token: token)
            #expect(answer.code == "unknown-sensor")
        }
    }

    @Test func `a token is granted a kind by its name, and reads its only sensor`() async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("light.phone", numbers: "illuminance")
            try await host.feedSensor(#"{"illuminance": 7}"#, to: "light.phone")
            let created = try await host.send(
                Call(
                    "POST", "/api/v1/tokens", token: host.owner,
                    json: #"{"name": "lamp", "allow": ["sensor:light:stats"]}"#))
            let token = try #require(try created.json()["token"]?.string)
            let stats = try await host.send(
                Call("GET", "/api/v1/sensors/light/stats?fn=count", token: token))
            #expect(stats.status == 200)
            #expect(try stats.json()["sensor"]?.string == "light.phone")
            let latest = try await host.send(
                Call("GET", "/api/v1/sensors/light/latest", token: token))
            #expect(latest.code == "statistics-only")
        }
    }

    @Test func `a virtual sensor on a kind is computed from its only sensor`() async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("light.phone", numbers: "illuminance")
            let definition = #"""
                {"title": "Day", "inputs": ["light.illuminance"], "window": "1s",
                 "outputs": [{"name": "mean", "by": "mean", "of": ["light.illuminance"]}]}
                """#
            let call = Call("PUT", "/api/v1/sensors/day", token: host.owner, json: definition)
            #expect(try await host.send(call).status == 201)
            let sensor = try await host.send(
                Call("GET", "/api/v1/sensors/day", token: host.owner)
            ).json()
            let inputs = sensor["definition"]?["inputs"]?.array?.map(\.string)
            #expect(inputs == ["light.phone.illuminance"])
            try await host.declareSensor("light.watch", numbers: "illuminance")
            let several = try await host.send(call)
            #expect(several.status == 422)
            #expect(several.text.contains("light.phone, light.watch"))
        }
    }

    @Test func `a headless app reads kinds by their names`() async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("light.phone", numbers: "illuminance")
            try await host.feedSensor(#"{"illuminance": 7}"#, to: "light.phone")
            let lines = try await host.play(
                """
                (async () => {
                  const light = nervous.sensor("light");
                  say((await nervous.permissions.query({ name: "light" })).state);
                  say((await light.describe()).id, (await light.latest()).illuminance);
                  const stop = light.watch((sample) => { say(sample.illuminance); stop(); },
                    { onOpen: () => publish("light.phone", { illuminance: 8 }) });
                })();
                """, privileges: #"["light"]"#, decisions: ["sensor:light": .allowAlways])
            #expect(lines == ["granted", "light.phone 7", "8"])
        }
    }
}
