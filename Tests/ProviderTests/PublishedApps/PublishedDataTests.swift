import AppRuns
import Auth
import Foundation
import Samples
import Testing
import Text

@testable import Provider

/// The data routes of nervousnet apps.
struct PublishedDataTests {
    private static let raw = "/nervousnet-api/raw-sensor-data"
    private static let history = "/nervousnet-api/historic-sensor-data"

    /// A sensor, its sample, and the response for an app.
    private static let shapes:
        [(name: String, sensor: String, fields: [(String, String)], sample: String, answer: String)] =
            [
                (
                    "Accelerometer", "accelerometer",
                    [("x", "number"), ("y", "number"), ("z", "number")],
                    #"{"x": 1, "y": 2, "z": -3.5}"#,
                    #"{"x":1.0,"y":2.0,"z":-3.5,"accX":1.0,"accY":2.0,"accZ":-3.5}"#
                ),
                (
                    "Gyroscope", "gyroscope", [("x", "number"), ("y", "number"), ("z", "number")],
                    #"{"x": 1, "y": 2, "z": 3}"#, #"{"x":1.0,"y":2.0,"z":3.0}"#
                ),
                (
                    "GPS", "location", [("latitude", "number"), ("longitude", "number")],
                    #"{"latitude": 47.25, "longitude": 8.5}"#,
                    #"{"lat":47.25,"long":8.5,"speed":null}"#
                ),
                (
                    "BLE", "bluetooth", [("packet", "text")], #"{"packet": "a,b,1"}"#,
                    #"{"blepacket":"a,b,1"}"#
                ),
                (
                    "Pressure", "barometer", [("pressure", "number")], #"{"pressure": 1013.25}"#,
                    #"{"pressure":1013.25}"#
                ),
                (
                    "Beacon", "beacon",
                    [
                        ("uuid", "text"), ("major", "integer"), ("minor", "integer"),
                        ("proximity", "state"), ("accuracy", "number"),
                    ],
                    #"""
                    [{"uuid": "u", "major": 1, "minor": 2, "proximity": "near", "accuracy": 1.5},
                     {"uuid": "u", "major": 1, "minor": 2, "proximity": "far", "accuracy": 2.5},
                     {"uuid": "u", "major": 1, "minor": 3, "proximity": "near", "accuracy": 0.5}]
                    """#,
                    #"[{"uuid":"u","major":"1","minor":"3","proximity":"near","accuracy":"0.5"},{"uuid":"u","major":"1","minor":"2","proximity":"far","accuracy":"2.5"}]"#
                ),
            ]

    @Test(arguments: shapes.indices)
    func `a response has the members that published apps expect`(index: Int) async throws {
        let shape = Self.shapes[index]
        try await ServedHost.with { host in
            try await host.declareSensor(shape.sensor, fields: shape.fields.map { ($0.0, $0.1) })
            host.clock.now = .now()
            try await host.feedSensor(shape.sample, to: shape.sensor)
            let token = try await host.client(allow: ["sensor:\(shape.sensor)"])
            let answer = try await host.send(Call("GET", "\(Self.raw)/\(shape.name)", token: token))
            #expect(answer.status == 200)
            #expect(answer.text == shape.answer)
        }
    }

    @Test(arguments: ["accelerometer", ":sensor", "GPS ", "Camera", "..", "%00"])
    func `an unknown name is 404`(name: String) async throws {
        try await ServedHost.with { host in
            let token = try await host.client()
            let path = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
            let answer = try await host.send(Call("GET", "\(Self.raw)/\(path)", token: token))
            #expect(answer.status == 404)
            #expect(answer.code == "unknown-sensor")
        }
    }

    @Test func `only apps write to the log`() async throws {
        try await ServedHost.with { host in
            for token in [try await host.client(), host.owner] {
                let answer = try await host.send(
                    Call("POST", "/nervousnet-api/log", token: token, body: [65]))
                #expect(answer.status == 403)
                #expect(answer.code == "denied")
            }
        }
    }

    @Test func `a missing sensor is reported after the permission check, and not asked for`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.installPublished()
            let token = try await host.begin("old-one").token
            func status(_ name: String) async throws -> Int {
                try await host.send(
                    Call(
                        "GET", "\(Self.raw)/\(name)", token: token,
                        host: "old-one.localhost:\(host.port)")
                ).status
            }
            for (name, sensor, missing) in [("Battery", "battery", 503), ("GPS", "location", 404)] {
                #expect(try await status(name) == 403)
                #expect(await host.authority.pendingRequests().isEmpty)
                try await host.decide(.allowAlways, "sensor:\(sensor)", by: "old-one")
                #expect(try await status(name) == missing)
            }
        }
    }

    /// What the paths of the three routes are for a sensor.
    private static func paths(_ name: String) -> [String] {
        let first = ["Gyroscope": "gyr/getGyr", "Accelerometer": "acc/getAcc"][name]
        return ["\(raw)/\(name)", "\(history)?axon=\(name)&start=0&end=1"]
            + (first.map { ["/nervous-api/\($0)"] } ?? [])
    }

    @Test func `without permission no route reveals which sensors the machine has`() async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("light", fields: [("illuminance", "number")])
            let client = try await host.client()
            let denied = try await host.client("denied")
            for form in PublishedSensor.all {
                try await host.decide(.deny, "sensor:\(form.sensor)", by: "denied")
                for path in Self.paths(form.name) {
                    for token in [client, denied] {
                        let answer = try await host.send(Call("GET", path, token: token))
                        #expect(answer.status == 403, "\(path)")
                        #expect(
                            answer.code == (token == client ? "undecided" : "denied"), "\(path)")
                    }
                }
            }
        }
    }

    @Test(arguments: [
        "/nervous-api/version", "/nervous-api/gyr/getGyr", "\(raw)/Light", "\(raw)/none",
        "\(history)?axon=Light&start=0&end=1", history, "/nervousnet-api/deviceid",
    ])
    func `calls without a token are refused`(path: String) async throws {
        try await ServedHost.with { host in
            try await host.installPublished()
            for name in ["localhost", "old-one.localhost"] {
                let answer = try await host.send(
                    Call("GET", path, host: "\(name):\(host.port)"))
                #expect(answer.status == 401)
            }
            try await host.install("other")
            let foreign = try await host.begin("other").token
            let answer = try await host.send(
                Call("GET", path, token: foreign, host: "old-one.localhost:\(host.port)"))
            #expect(answer.code == "name-mismatch")
        }
    }

    @Test func `history requires exactly its three parameters`() async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("light", fields: [("illuminance", "number")])
            try await host.feedSensor(
                #"[{"t": 1000, "illuminance": 1}, {"t": 2000, "illuminance": 2}, {"t": 3000.5, "illuminance": 3}]"#,
                to: "light")
            let token = try await host.client(allow: ["sensor:light"])
            func get(_ query: String) async throws -> Answer {
                try await host.send(Call("GET", "\(Self.history)?\(query)", token: token))
            }
            let all = try await get("end=3000&axon=Light&start=1000")
            #expect(
                all.text
                    == #"[{"timestamp":1000,"lux":1.0},{"timestamp":2000,"lux":2.0},{"timestamp":3000.500,"lux":3.0}]"#
            )
            #expect(
                try await get("axon=Light&start=2000&end=2000").text
                    == #"[{"timestamp":2000,"lux":2.0}]"#)
            #expect(try await get("axon=Light&start=5&end=5").text == "[]")
            for query in [
                "", "axon=Light", "axon=Light&start=1", "axon=Light&start=2&end=1",
                "axon=Light&start=1&end=2&x=3", "axon=Light&start=a&end=2",
                "axon=Light&start=1.5&end=2", "axon=Light&start=1&start=1&end=2",
                "axon=Light&start=1&end=9223372036854775808",
                "axon=Light&start=1&end=9223372036854775807",
            ] {
                #expect(try await get(query).status == 400, "\(query)")
            }
            #expect(try await get("axon=light&start=1&end=2").status == 404)
        }
    }

    @Test func `a history of many pages is complete`() async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("light", fields: [("illuminance", "number")])
            let rows = (1...25_000).map { #"{"t": \#($0), "illuminance": \#($0)}"# }
            for start in stride(from: 0, to: rows.count, by: 5000) {
                try await host.feedSensor(
                    "[\(rows[start..<start + 5000].joined(separator: ","))]", to: "light")
            }
            let token = try await host.client(allow: ["sensor:light"])
            let answer = try await host.send(
                Call("GET", "\(Self.history)?axon=Light&start=0&end=99999", token: token))
            let items = try #require(try answer.json().array)
            #expect(items.count == 25_000)
            #expect(items.last?["timestamp"]?.number?.double == 25_000)
        }
    }

    @Test func `terms apply to published apps, too`() async throws {
        try await ServedHost.with { host in
            try await host.declareSensor("light", fields: [("illuminance", "number")])
            try await host.feedSensor(#"{"illuminance": 123.4}"#, to: "light")
            let token = try await host.client()
            let path = "\(Self.raw)/Light"
            #expect(try await host.send(Call("GET", path, token: token)).code == "undecided")
            try await host.decide(.statisticsOnly, "sensor:light", by: "curl")
            #expect(try await host.send(Call("GET", path, token: token)).code == "statistics-only")
            try await host.decide(
                .allow(Terms(access: .raw, precision: 50)), "sensor:light", by: "curl")
            let answer = try await host.send(Call("GET", path, token: token))
            #expect(answer.text == #"{"lux":100.0}"#)
        }
    }

    @Test func `the calls of the first generation work`() async throws {
        try await ServedHost.with { host in
            let fields = ["x", "y", "z"].map { (name: $0, kind: "number") }
            try await host.declareSensor("gyroscope", fields: fields)
            try await host.feedSensor(#"{"x": 1, "y": 2, "z": 3}"#, to: "gyroscope")
            let token = try await host.client(
                allow: ["sensor:gyroscope", "sensor:accelerometer"])
            func get(_ path: String) async throws -> Answer {
                try await host.send(Call("GET", "/nervous-api/\(path)", token: token))
            }
            #expect(try await get("version").text == #"{"version":1.0}"#)
            #expect(try await get("gyr/getGyr").text == #"{"x":1.0,"y":2.0,"z":3.0}"#)
            #expect(try await get("acc/getAcc").status == 404)
            #expect(try await get("gyr/getAcc").status == 404)
            #expect(try await get("gyr").status == 404)
        }
    }

    @Test func `the device number differs between apps and requires its privilege`() async throws {
        try await ServedHost.with { host in
            let path = "/nervousnet-api/deviceid"
            var numbers: Set<String> = []
            for name in ["one", "two"] {
                let token = try await host.client(name)
                let refused = try await host.send(Call("GET", path, token: token))
                #expect(refused.code == "undecided")
                #expect(try refused.json()["privilege"]?.string == "identity")
                try await host.decide(.allowAlways, "identity", by: name)
                let first = try await host.send(Call("GET", path, token: token))
                #expect(try await host.send(Call("GET", path, token: token)).text == first.text)
                numbers.insert(try #require(try first.json()["uuid"]?.string))
            }
            #expect(numbers.count == 2)
            #expect(numbers.allSatisfy { UUID(uuidString: $0) != nil })
        }
    }

    @Test func `the log accepts texts of any type, limited per minute`() async throws {
        try await ServedHost.with { host in
            try await host.installPublished()
            let token = try await host.begin("old-one").token
            func say(_ body: [UInt8], _ type: String) async throws -> Int {
                try await host.send(
                    Call(
                        "POST", "/nervousnet-api/log", token: token,
                        headers: [("Content-Type", type)], body: body)
                ).status
            }
            #expect(try await say(Array("[1]".utf8), "application/x-www-form-urlencoded") == 204)
            #expect(try await say([0xFF, 0x1B], "text/plain") == 204)
            #expect(try await say(.init(repeating: 65, count: 65_537), "text/plain") == 413)
            for _ in 4...AxonRoutes.messagesPerMinute { _ = try await say([], "text/plain") }
            #expect(try await say([], "text/plain") == 429)
        }
    }
}
