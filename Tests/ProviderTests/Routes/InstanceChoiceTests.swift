import Auth
import HTTPTypes
import Samples
import Testing
import Text

@testable import Provider

/// Every route to a sensor's data, after the owner chose one of two sensors of a kind.
@Suite(.timeLimit(.minutes(10)))
struct InstanceChoiceTests {
    private static let put = "/api/v1/grants/curl/sensor%3Anetwork"

    /// A host with a sample of each interface, 1 and 2, and a client that may use the first.
    private static func with(
        only: String = #"["network.eth0"]"#, decision: String = "allow-always",
        _ privilege: String = put,
        _ body: @Sendable (ServedHost, String) async throws -> Void
    ) async throws {
        try await ServedHost.with { host in
            await host.collect("network.eth0", [.number(1)])
            await host.collect("network.wlan0", [.number(2)])
            let token = try await host.client()
            let answer = try await host.send(
                Call(
                    "PUT", privilege, token: host.owner,
                    json: #"{"decision": "\#(decision)", "only": \#(only)}"#))
            #expect(answer.status == 200, "\(answer.text)")
            try await body(host, token)
        }
    }

    private static func analysis(_ sensor: String) -> Call {
        Call(
            "POST", "/api/v1/analyze",
            json: #"""
                {"analysis": "largest", "parameters": {"k": 1},
                 "inputs": ["\#(sensor).rate"],
                 "where": ["\#(sensor).rate>0"]}
                """#)
    }

    private static let reading = ["latest", "samples", "samples?limit=20000", "stats?fn=max"]

    @Test func `the name of the kind returns the data of the chosen sensor, and its name`()
        async throws
    {
        try await Self.with { host, token in
            for path in Self.reading {
                let answer = try await host.send(
                    Call("GET", "/api/v1/sensors/network/\(path)", token: token))
                #expect(answer.status == 200, "\(path): \(answer.text)")
                #expect(answer["nervous-sensor"] == "network.eth0")
                #expect(answer.text.contains(/"(rate|max)":1[.,}]/), "\(path)")
                if path != "latest" {
                    #expect(try answer.json()["sensor"]?.string == "network.eth0")
                }
            }
            for form in ["text/csv", "application/x-ndjson"] {
                let answer = try await host.send(
                    Call(
                        "GET", "/api/v1/sensors/network/samples", token: token,
                        headers: [("Accept", form)]))
                #expect(answer["nervous-sensor"] == "network.eth0")
                let rows = answer.text.split(whereSeparator: \.isNewline).suffix(1)
                #expect(
                    rows.count { $0.contains(/[,:]1(\.0)?}?$/) } == 1, "\(form): \(answer.text)")
                #expect(!answer.text.contains(/[,:]2(\.0)?}?\s/), "\(form): \(answer.text)")
            }
            let one = try await host.send(
                Call("GET", "/api/v1/sensors/network", token: token)
            ).json()
            #expect(one["id"]?.string == "network.eth0")
            #expect(one["access"]?.string == "granted")
        }
    }

    @Test func `the chosen sensor can be read by its own name`() async throws {
        try await Self.with { host, token in
            for path in Self.reading {
                let answer = try await host.send(
                    Call("GET", "/api/v1/sensors/network.eth0/\(path)", token: token))
                #expect(answer.status == 200)
                #expect(answer["nervous-sensor"] == nil)
            }
        }
    }

    @Test func `sensors that were not chosen are refused on every route and not listed`()
        async throws
    {
        try await Self.with { host, token in
            for path in Self.reading + ["stream"] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/sensors/network.wlan0/\(path)", token: token))
                #expect(answer.status == 403, "\(path)")
                #expect(answer.code == "denied")
            }
            var call = Self.analysis("network.wlan0")
            call.token = token
            #expect(try await host.send(call).code == "denied")
            let list = try await host.send(Call("GET", "/api/v1/sensors", token: token)).json()
            #expect(list["items"]?.array?.map { $0["id"]?.string } == ["network.eth0"])
            let one = try await host.send(
                Call("GET", "/api/v1/sensors/network.wlan0", token: token))
            #expect(one.code == "unknown-sensor")
            for (name, state) in [
                ("network", "granted"), ("network.eth0", "granted"), ("network.wlan0", "denied"),
                ("network.new", "prompt"),
            ] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/permissions/sensor%3A\(name)", token: token))
                #expect(try answer.json()["state"]?.string == state, "\(name)")
            }
        }
    }

    @Test func `answers do not name excluded sensors`() async throws {
        try await Self.with { host, token in
            var seen = 0
            for (path, methods) in host.provider.resources where methods.contains(.get) {
                // Streams do not end.
                if path.hasSuffix("stream") || path.hasSuffix("live") { continue }
                for name in ["network", "network.eth0", "sensor:network", "curl"] {
                    let target = path.replacing(/\{[a-z]+\}/, with: name)
                    let answer = try await host.send(Call("GET", target, token: token))
                    #expect(!answer.text.contains("wlan0"), "\(target)")
                    if answer.status == 200, answer.text.contains("network") { seen += 1 }
                }
            }
            // Among them: /me, the list of sensors, and its samples.
            #expect(seen > 4)
            // The owner sees it.
            let grants = try await host.send(
                Call("GET", "/api/v1/grants/curl", token: host.owner))
            #expect(grants.text.contains(#""excluded":["network.wlan0"]"#))
        }
    }

    @Test func `analyses and their conditions read the chosen sensor, and name it`() async throws {
        try await Self.with { host, token in
            var call = Self.analysis("network")
            call.token = token
            let answer = try await host.send(call)
            #expect(answer.status == 200, "\(answer.text)")
            let json = try answer.json()
            #expect(json["inputs"]?.array?.first?["input"]?.string == "network.eth0.rate")
            let value = json["result"]?["items"]?.array?.first?["value"]
            #expect(value?.number?.double == 1)
        }
    }

    @Test func `a stream continues with its first sensor, and ends when another is chosen`()
        async throws
    {
        try await Self.with { host, token in
            try await host.stream(of: "network", token: token) { events in
                #expect(events.text.contains(": the samples of network.eth0"))
                await host.collect("network.wlan0", [.number(7)])
                await host.collect("network.eth0", [.number(5)])
                await events.read { $0.ids.count >= 1 }
                #expect(
                    events.text.contains(#""rate":5.0"#) && !events.text.contains(#""rate":7.0"#))
                let body = #"{"decision": "allow-always", "only": ["network.wlan0"]}"#
                let answer = try await host.send(
                    Call("PUT", Self.put, token: host.owner, json: body))
                #expect(answer.status == 200)
                await host.collect("network.wlan0", [.number(8)])
                await host.collect("network.eth0", [.number(6)])
                await events.read { $0.text.contains("event: problem") }
                #expect(events.text.contains(#""code":"denied""#))
                for rate in ["6.0", "8.0"] {
                    #expect(!events.text.contains(#""rate":\#(rate)"#), "\(events.text)")
                }
            }
        }
    }

    @Test func `publishing writes to the chosen sensor`() async throws {
        try await ServedHost.with { host async throws in
            for name in ["steps.left", "steps.right"] {
                try await host.declareSensor(name, numbers: "count")
            }
            let token = try await host.client()
            let body =
                #"{"decision": "allow", "terms": {"access": "write", "only": ["steps.left"]}}"#
            let path = "/api/v1/grants/curl/sensor%3Asteps%3Awrite"
            #expect(
                try await host.send(Call("PUT", path, token: host.owner, json: body)).status == 200)
            let sample = #"{"count": 5}"#
            let taken = try await host.publish(sample, to: "steps", token: token)
            #expect(taken.status == 201)
            #expect(taken["nervous-sensor"] == "steps.left")
            #expect(
                try await host.publish(sample, to: "steps.right", token: token).code == "denied")
            for (name, status) in [("steps.left", 200), ("steps.right", 404)] {
                let latest = Call("GET", "/api/v1/sensors/\(name)/latest", token: host.owner)
                #expect(try await host.send(latest).status == status)
            }
        }
    }

    @Test func `published apps read the chosen sensor by their name for it`() async throws {
        try await ServedHost.with { host async throws in
            for (name, celsius) in [("temperature.indoors", 21.5), ("temperature.outdoors", 4.5)] {
                try await host.declareSensor(name, numbers: "temperature")
                host.clock.now = .now()
                try await host.feedSensor(#"{"temperature": \#(celsius)}"#, to: name)
            }
            let token = try await host.client()
            let latest = Call(
                "GET", "/nervousnet-api/raw-sensor-data/Temperature", token: token)
            #expect(try await host.send(latest).code == "undecided")
            let path = "/api/v1/grants/curl/sensor%3Atemperature"
            for (only, text) in [
                (#"["temperature.outdoors"]"#, #"{"celsius":4.5}"#),
                (#"["temperature.indoors"]"#, #"{"celsius":21.5}"#),
            ] {
                let body = #"{"decision": "allow-always", "only": \#(only)}"#
                #expect(
                    try await host.send(Call("PUT", path, token: host.owner, json: body)).status
                        == 200)
                #expect(try await host.send(latest).text == text)
            }
            let body =
                #"{"decision": "allow-always", "only": ["temperature.indoors", "temperature.outdoors"]}"#
            #expect(
                try await host.send(Call("PUT", path, token: host.owner, json: body)).status == 200)
            let several = try await host.send(latest)
            #expect(several.status == 409)
            #expect(several.code == "several-sensors")
            #expect(try several.json()["fix"]?.string?.contains("temperature.outdoors") == true)
        }
    }

    @Test func `a decision contains excluded sensors, which can be added later`() async throws {
        try await Self.with { host, token in
            let list = try await host.send(
                Call("GET", "/api/v1/grants/curl", token: host.owner)
            ).json()
            let terms = list["items"]?.array?.first?["terms"]
            #expect(terms?["only"]?.array?.map(\.string) == ["network.eth0"])
            #expect(terms?["excluded"]?.array?.map(\.string) == ["network.wlan0"])
            let own = #"""
                {"decision": "allow", "terms": {"access": "raw", "only": ["network.eth0"],
                 "excluded": []}}
                """#
            #expect(
                try await host.send(Call("PUT", Self.put, token: host.owner, json: own)).status
                    == 200)
            let state = Call(
                "GET", "/api/v1/permissions/sensor%3Anetwork.wlan0", token: token)
            #expect(try await host.send(state).json()["state"]?.string == "prompt")
        }
    }

    @Test(arguments: [
        (#"{"decision": "deny", "only": ["network.eth0"]}"#, 400),
        (#"{"decision": "allow-always", "only": []}"#, 422),
        (#"{"decision": "allow-always", "only": ["gauge"]}"#, 422),
        (#"{"decision": "allow-always", "only": ["No"]}"#, 400),
        (#"{"decision": "allow-always", "only": ["network.gone"]}"#, 404),
        (#"{"decision": "allow-always", "excluded": ["network.eth0"]}"#, 400),
        (
            #"{"decision": "allow", "only": ["network.eth0"], "terms": {"access": "raw", "only": ["network.eth0"]}}"#,
            400
        ),
    ])
    func `an invalid choice is rejected`(body: String, status: Int) async throws {
        try await ServedHost.with { host in
            _ = try await host.client()
            let answer = try await host.send(
                Call("PUT", Self.put, token: host.owner, json: body))
            #expect(answer.status == status, "\(answer.text)")
            #expect(await host.authority.permissions.records(of: "curl").isEmpty)
        }
    }

    @Test func `new sensors are shown with the app`() async throws {
        try await ServedHost.with { host async throws in
            try await host.install(privileges: #"[{"sensor": "network", "reason": "r"}]"#)
            let body = #"{"decision": "allow-always", "only": ["network.eth0"]}"#
            let path = "/api/v1/grants/my-app/sensor%3Anetwork"
            #expect(
                try await host.send(Call("PUT", path, token: host.owner, json: body)).status == 200)
            func newSensors() async throws -> [String?]? {
                let app = try await host.send(
                    Call("GET", "/api/v1/apps/my-app", token: host.owner)
                ).json()
                return app["privileges"]?.array?.first?["newSensors"]?.array?.map(\.string)
            }
            #expect(try await newSensors() == nil)
            try await host.declareSensor("network.usb0", numbers: "rate")
            #expect(try await newSensors() == ["network.usb0"])
        }
    }

    @Test func `the access log names the sensor that was read`() async throws {
        try await Self.with { host, token in
            _ = try await host.send(
                Call("GET", "/api/v1/sensors/network/latest", token: token))
            let lines = try await host.authority.log.entries(AccessLogQuery())
            #expect(lines.contains { $0.operation == "latest" && $0.sensor == "network.eth0" })
            #expect(!lines.contains { $0.sensor == "network" })
        }
    }

    @Test func `the SDK reports the sensor of a kind, and streams it`() async throws {
        let choice = InstanceChoice(["network.eth0"], excluding: ["network.wlan0"])
        try await ServedHost.with { host in
            await host.collect("network.eth0", [.number(1)])
            await host.collect("network.wlan0", [.number(2)])
            let lines = try await host.play(
                """
                (async () => {
                  say((await nervous.permissions.query({ name: "network" })).state);
                  say((await nervous.permissions.query({ name: "network.wlan0" })).state);
                  say((await nervous.sensor("network").latest()).rate);
                  say((await nervous.sensor("network").describe()).id);
                  await nervous.sensor("network.wlan0").latest().catch((error) => say(error.name));
                })();
                """, privileges: #"["network"]"#,
                decisions: ["sensor:network": .allow(Terms(access: .raw, only: choice))])
            #expect(lines == ["granted", "denied", "1", "network.eth0", "NotAllowedError"])
        }
    }
}
