import API
import AppRuns
import Auth
import Foundation
import Samples
import TestSupport
import Testing
import Text
import VM

@testable import Scheduling

/// `GET /api/v1/stream`: the samples of several sensors in one stream.
@Suite(.timeLimit(.minutes(10)))
struct SeveralStreamTests {
    @Test func `the samples of several sensors come in the order of their arrival`() async throws {
        try await ServedHost.with { host in
            await host.gauge(1)
            try await host.streams("sensors=gauge,networking") { events in
                #expect(
                    events.text.contains(
                        """
                        : the samples of gauge, networking
                        id: 1

                        event: open
                        data: {"after":1,"sensors":["gauge","networking"]}


                        """))
                await host.collect("networking", [.number(7)], at: Timestamp(microseconds: 5))
                await host.gauge(2)
                await host.collect("quiet", [.number(8)])
                await host.collect("networking", [.number(9)])
                await events.read { $0.samples.count >= 3 }
                #expect(events.samples.map(\.id) == [2, 3, 5])
                #expect(events.samples.map(\.sensor) == ["networking", "gauge", "networking"])
                #expect(
                    events.text.contains(#"data: {"sensor":"networking","t":0.005,"rate":7.0}"#))
            }
        }
    }

    @Test func `one position resumes all sensors, and each can have its own`() async throws {
        try await ServedHost.with { host in
            for level in 1...3 {
                await host.gauge(Double(level))
                await host.collect("networking", [.number(Double(level))])
            }
            try await host.streams("sensors=gauge,networking", after: "3") { events in
                await events.read { $0.samples.count >= 3 }
                #expect(events.samples.map(\.id) == [4, 5, 6])
            }
            try await host.streams("sensors=gauge@1,networking@4,quiet") { events in
                await events.read { $0.samples.count >= 3 }
                #expect(events.samples.map(\.id) == [3, 5, 6])
                #expect(events.text.contains(#"data: {"after":1,"sensors":["gauge"]}"#))
                #expect(events.text.contains(#"data: {"after":4,"sensors":["networking"]}"#))
                #expect(events.text.contains(#"data: {"after":6,"sensors":["quiet"]}"#))
                #expect(events.text.contains("id: 1\n\nevent: open"))
            }
            for query in ["sensors=gauge@7", "sensors=gauge@x", "sensors=gauge,gauge", "sensors="] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/stream?\(query)", token: host.owner))
                #expect(answer.status == 400, "\(query)")
                #expect(try answer.json()["detail"]?.string?.hasPrefix("sensors: ") == true)
            }
        }
    }

    @Test func `newest begins with the newest sample of each sensor that has no position`()
        async throws
    {
        try await ServedHost.with { host in
            for level in 1...3 { await host.gauge(Double(level)) }
            await host.collect("networking", [.number(7)])
            await host.collect("networking", [.number(8)])
            for query in ["sensors=gauge,networking,quiet", "sensors=*"] {
                try await host.streams("\(query)&newest") { events in
                    await events.read { $0.data("sample").count >= 2 }
                    // Without an id: a stream that is resumed would repeat what came in between.
                    #expect(events.samples.isEmpty)
                    let first = events.data("sample").sorted()
                    #expect(first.count == 2)
                    #expect(first.first?.hasPrefix(#"{"sensor":"gauge","t":"#) == true)
                    #expect(first.first?.contains(#""level":3.0"#) == true)
                    #expect(first.last?.hasSuffix(#""rate":8.0}"#) == true)
                }
            }
            try await host.streams("sensors=gauge@2,networking&newest") { events in
                await events.read { $0.data("sample").count >= 2 }
                #expect(events.samples.map(\.id) == [3])
                #expect(events.data("sample").contains { $0.hasSuffix(#""rate":8.0}"#) })
            }
            try await host.streams("sensors=gauge,networking&newest", after: "4") { events in
                await events.read { $0.samples.count >= 1 }
                #expect(events.data("sample").count == 1)
                #expect(events.samples.map(\.id) == [5])
            }
            // Without permission there is none.
            let token = try await host.client(allow: ["sensor:gauge"])
            try await host.streams("sensors=gauge,networking&newest", token: token) { events in
                await events.read { $0.data("sample").count >= 1 && !$0.refusals.isEmpty }
                #expect(!events.text.contains(#""rate""#))
            }
        }
    }

    @Test func `sensors that cannot be read are refused, and the others are streamed`()
        async throws
    {
        try await ServedHost.with { host async throws in
            try await host.declareSensor("walk", numbers: "x")
            let defined = try await host.send(
                Call(
                    "PUT", "/api/v1/sensors/virtual.pace", token: host.owner,
                    json: """
                        {"inputs": ["walk.x"], "window": "1s", "outputs": [{"name": "a", "by": "sum"}]}
                        """))
            #expect(defined.status == 201)
            try await host.streams("sensors=none,gauge,battery,virtual.pace,No!") { events in
                await host.gauge(1)
                await events.read { $0.samples.count >= 1 }
                #expect(
                    events.refusals == [
                        "none unknown-sensor", "battery sensor-unavailable",
                        "No! not-found",
                    ])
            }
            let token = try await host.client(allow: ["sensor:gauge", "sensor:walk:stats"])
            try await host.streams("sensors=networking,gauge,walk", token: token) { events in
                await host.gauge(2)
                await host.collect("networking", [.number(7)])
                await host.gauge(3)
                await events.read { $0.samples.count >= 2 }
                #expect(events.samples.map(\.sensor) == ["gauge", "gauge"])
                #expect(events.refusals == ["networking undecided", "walk statistics-only"])
                #expect(events.text.contains(#""privilege":"sensor:networking""#))
            }
        }
    }

    @Test func `a sensor whose permission ends is refused, and the others go on`() async throws {
        try await ServedHost.with { host in
            let token = try await host.client(allow: ["sensor:gauge", "sensor:networking"])
            try await host.streams("sensors=gauge,networking", token: token) {
                events async throws in
                await host.gauge(1)
                await events.read { $0.samples.count >= 1 }
                try await host.decide(.deny, "sensor:gauge", by: "curl")
                await host.gauge(2)
                await events.read { !$0.refusals.isEmpty }
                await host.gauge(3)
                await host.collect("networking", [.number(7)])
                await events.read { $0.samples.count >= 2 }
                #expect(events.samples.map(\.id) == [1, 4])
                #expect(events.refusals == ["gauge denied"])
            }
        }
    }

    @Test func `a heartbeat detects that permission has ended`() async throws {
        try await ServedHost.with(heartbeat: .milliseconds(2)) { host in
            let token = try await host.client(allow: ["sensor:gauge", "sensor:networking"])
            try await host.streams("sensors=gauge,networking", token: token) {
                events async throws in
                try await host.decide(.deny, "sensor:networking", by: "curl")
                await events.read { !$0.refusals.isEmpty }
                #expect(events.refusals == ["networking denied"])
                #expect(events.heartbeats > 0)
            }
        }
    }

    @Test func `a stream of several sensors ends with its token`() async throws {
        try await ServedHost.with { host in
            let token = try await host.client(allow: ["sensor:gauge", "sensor:networking"])
            try await host.streams("sensors=gauge,networking", token: token) {
                events async throws in
                try await host.authority.revokeClient("curl")
                await host.gauge(1)
                await events.read { _ in false }
                #expect(events.samples.isEmpty && events.refusals.isEmpty)
                #expect(events.text.contains("event: problem\ndata: {\"code\":\"invalid-token\""))
                #expect(events.text.hasSuffix("0\r\n\r\n"))
            }
            let answer = try await host.send(
                Call("GET", "/api/v1/stream?sensors=gauge", token: token))
            #expect(answer.status == 401)
        }
    }

    @Test func `a stream has at most 64 sensors`() async throws {
        try await ServedHost.with { host in
            func names(_ count: Int) -> String {
                (1...count).map { "none-\($0)" }.joined(separator: ",")
            }
            let answer = try await host.send(
                Call("GET", "/api/v1/stream?sensors=\(names(65))", token: host.owner))
            #expect(answer.status == 400)
            #expect(answer.code == "invalid-parameter")
            try await host.streams("sensors=\(names(64))") { events in
                await events.read { $0.refusals.count >= 64 }
                #expect(events.refusals.count == 64)
            }
        }
    }

    @Test func `an asterisk stands for every sensor that the client may read`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client(
                allow: ["sensor:network", "sensor:quiet", "sensor:gauge:stats", "sensor:battery"])
            try await host.streams("sensors=*", token: token) { events in
                #expect(
                    events.text.contains(": the samples of network.eth0, network.wlan0, quiet\n"))
                #expect(events.refusals.isEmpty)
            }
            try await host.streams("sensors=*") { events in
                #expect(
                    events.text.contains(
                        ": the samples of gauge, network.eth0, network.wlan0, networking, quiet\n"))
            }
        }
    }

    @Test func `a sensor with two names has each sample under both, and one id`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSensor("heat.left", numbers: "x")
            try await host.streams("sensors=heat,heat.left") { events async throws in
                try await host.feedSensor(#"{"t": 1000, "x": 2}"#, to: "heat.left")
                await events.read { $0.samples.count >= 1 }
                #expect(
                    events.text.contains(
                        """
                        event: sample
                        data: {"sensor":"heat","t":1000,"x":2.0}

                        id: 1
                        event: sample
                        data: {"sensor":"heat.left","t":1000,"x":2.0}


                        """))
            }
        }
    }

    @Test func `gaps name their sensor, and omitted samples move the position`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSensor("walk", numbers: "x")
            let token = try await host.client(allow: ["sensor:gauge"])
            try await host.decide(
                .allow(Terms(access: .raw, history: .seconds(60))), "sensor:walk", by: "curl")
            let old = host.clock.now.microseconds / 1000 - 61_000
            try await host.feedSensor(
                #"[{"t": \#(old), "x": 1}, {"t": \#(old), "x": 2}]"#, to: "walk")
            try await host.streams("sensors=gauge,walk", after: "1", token: token) { events in
                await events.read { $0.text.contains("id: 2\n\n") }
                let gap = #"data: {"after":1,"reason":"history","sensor":"walk","through":2}"#
                #expect(events.text.contains("event: gap\n\(gap)\n\n"))
                #expect(events.samples.isEmpty)
            }
        }
    }

    /// Random batches of three sensors, one of them with a rate limit, read in random pieces.
    @Test func `a stream of several sensors is the union of their streams`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        let names = ["walk.a", "walk.b", "walk.c"]
        var batches: [(name: String, rows: [String])] = []
        for _ in 0..<16 {
            let name = names.randomElement(using: &random) ?? ""
            let count = Bool.random(using: &random) ? Int.random(in: 1...700, using: &random) : 1
            batches.append(
                (
                    name,
                    (0..<count).map { _ in
                        let time = Int.random(
                            in: 1_700_000_000_000...1_700_000_900_000, using: &random)
                        return #"{"t": \#(time), "x": \#(Int.random(in: 0...9, using: &random))}"#
                    }
                ))
        }
        let pieces = (0..<5).map { _ in Int.random(in: 0...900, using: &random) }
        try await ServedHost.with(heartbeat: .milliseconds(5)) { [batches] host async throws in
            for name in names { try await host.declareSensor(name, numbers: "x") }
            let token = try await host.client(allow: ["sensor:walk.a", "sensor:walk.b"])
            try await host.decide(
                .allow(Terms(access: .raw, maximumRate: 1, precision: 5)), "sensor:walk.c",
                by: "curl")
            for batch in batches {
                try await host.feedSensor("[\(batch.rows.joined(separator: ","))]", to: batch.name)
            }
            var expected: [EventReader.Sample] = []
            for name in names {
                try await host.stream(of: name, after: "0", token: token) { events in
                    await events.read { $0.isIdle }
                    expected += zip(events.ids, events.bodies).map { id, data in
                        EventReader.Sample(id: id, sensor: name, data: data)
                    }
                }
            }
            expected.sort { $0.id < $1.id }
            var found: [EventReader.Sample] = []
            var last = "0"
            for piece in pieces + [.max] {
                try await host.streams(
                    "sensors=\(names.joined(separator: ","))", after: last, token: token
                ) { events in
                    await events.read { $0.isIdle || piece < .max && $0.samples.count >= piece }
                    found += events.samples.prefix(piece)
                    last = found.last.map { String($0.id) } ?? last
                }
            }
            #expect(found == expected, "seed \(seed)")
            #expect(found.count > 100, "seed \(seed)")
        }
    }

    @Test func `streams do not affect each other, and end with their clients`() async throws {
        try await ServedHost.with { host async throws in
            let changes = host.authority.requestChanges
            let before = changes.count
            try await host.streams("sensors=gauge&requests") { first in
                try await host.streams("sensors=gauge,networking&requests") { second in
                    await host.gauge(1)
                    await second.read { $0.samples.count >= 1 }
                    #expect(changes.count == before + 2)
                }
                await host.gauge(2)
                await first.read { $0.samples.count >= 2 }
                #expect(first.samples.map(\.id) == [1, 2])
            }
            while changes.count > before { await Task.yield() }
        }
    }

    @Test func `the samples of each sensor are in the access log`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client(allow: ["sensor:gauge", "sensor:networking"])
            for level in 1...3 { await host.gauge(Double(level)) }
            await host.collect("networking", [.number(7)])
            try await host.streams(
                "sensors=gauge,networking,quiet", after: "0", token: token
            ) { events in
                await events.read { $0.samples.count >= 4 }
            }
            let lines = try await host.authority.log.entries(AccessLogQuery(client: "curl"))
                .filter { $0.operation == "stream" }
            func count(_ sensor: SensorID) -> Int {
                lines.filter { $0.sensor == sensor }.map(\.count).reduce(0, +)
            }
            #expect(count("gauge") == 3)
            #expect(count("networking") == 1)
            #expect(lines.contains { $0.sensor == "quiet" && $0.outcome == .refused })
        }
    }

    @Test func `a sensor about which the owner is asked joins later`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSensor("light", numbers: "illuminance")
            try await host.feedSensor(#"{"illuminance": 5}"#, to: "light")
            try await host.installPublished()
            try await host.decide(.allowAlways, "sensor:gauge", by: "old-one")
            let token = try await host.begin("old-one").token
            try await host.streams(
                "sensors=light,gauge", token: token, host: "old-one.localhost:\(host.port)"
            ) { events async throws in
                await host.gauge(1)
                await events.read { $0.samples.count >= 1 }
                #expect(events.samples.map(\.sensor) == ["gauge"])
                try await host.allowFirstRequest()
                await events.read { $0.text.contains(#"data: {"after":2,"sensors":["light"]}"#) }
                try await host.feedSensor(#"{"illuminance": 6}"#, to: "light")
                await events.read { $0.samples.count >= 2 }
                #expect(events.samples.map(\.sensor) == ["gauge", "light"])
                #expect(events.refusals.isEmpty)
            }
        }
    }

    @Test func `a client that leaves while the owner is asked can come back`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSensor("light", numbers: "illuminance")
            try await host.feedSensor(#"{"illuminance": 5}"#, to: "light")
            try await host.installPublished()
            let token = try await host.begin("old-one").token
            let origin = "old-one.localhost:\(host.port)"
            try await host.streams("sensors=light", token: token, host: origin) { _ in
                while await host.authority.pendingRequests().first?.waiting != 1 {
                    await Task.yield()
                }
            }
            while await host.authority.pendingRequests().first?.waiting != 0 { await Task.yield() }
            try await host.streams("sensors=light", token: token, host: origin) {
                events async throws in
                try await host.allowFirstRequest()
                await events.read { $0.text.contains(#""sensors":["light"]"#) || $0.isEnded }
                #expect(events.refusals.isEmpty)
            }
        }
    }
}

/// The parts of `GET /api/v1/stream` for the owner.
@Suite(.timeLimit(.minutes(10)))
struct OwnerStreamTests {
    @Test func `the lists of the owner are written at the start and when they change`()
        async throws
    {
        try await ServedHost.with { host async throws in
            try await host.install()
            try await host.streams("requests&runs=true&list=&notices&sensors=gauge") {
                events async throws in
                await events.read { ["sensors", "requests", "runs"].allSatisfy($0.names.contains) }
                #expect(events.data("requests") == [#"{"items":[]}"#])
                #expect(events.data("runs") == [#"{"items":[]}"#])
                #expect(events.data("sensors").first?.contains(#""id":"gauge""#) == true)
                // Runs.
                let run = try await host.supervisor.prepare(app: "my-app").id
                await events.read { $0.data("runs").count >= 2 }
                #expect(events.data("runs").last?.contains(#""run":"\#(run)","#) == true)
                // Levels.
                try await host.machine.setLevel(.low, of: "quiet")
                await events.read { $0.data("sensors").last?.contains(#""level":"low""#) == true }
                // Messages.
                let keeper = try await host.client("keeper", allow: ["notify"])
                let sent = try await host.send(
                    Call(
                        "POST", "/api/v1/notifications", token: keeper,
                        json: #"{"title": "Hello"}"#))
                #expect(sent.status == 204)
                await events.read { $0.names.contains("notification") }
                #expect(events.data("notification").last?.contains("Hello") == true)
                await host.gauge(1)
                await events.read { $0.samples.count >= 1 }
                #expect(events.samples.map(\.id) == [1])
            }
        }
    }

    @Test func `a request is written when it is made and when it is decided`() async throws {
        try await ServedHost.with { host async throws in
            try await host.install()
            let token = try await host.begin().token
            try await host.streams("requests") { events async throws in
                #expect(events.text.contains(": events\nid: 0\n\n"))
                async let answer = host.send(
                    Call(
                        "POST", "/api/v1/permissions/request", token: token,
                        host: "my-app.localhost:\(host.port)",
                        json: #"{"privilege": "sensor:gauge"}"#))
                await events.read {
                    $0.data("requests").last?.contains(#""privilege":"sensor:gauge""#) == true
                }
                try await host.decide(.allowAlways, "sensor:gauge", by: "my-app")
                #expect(try await answer.json()["state"]?.string == "granted")
                await events.read { $0.data("requests").last == #"{"items":[]}"# }
            }
        }
    }

    @Test func `accesses of the last minutes are summed up by client, and so is the storage`()
        async throws
    {
        try await ServedHost.with { host async throws in
            for level in 1...3 { await host.gauge(Double(level)) }
            let curl = try await host.client("curl", allow: ["sensor:gauge"])
            func read(_ path: String, _ token: String) async throws -> Int {
                try await host.send(Call("GET", "/api/v1/sensors/\(path)", token: token)).status
            }
            #expect(try await read("gauge/samples", curl) == 200)
            #expect(try await read("gauge/samples", curl) == 200)
            #expect(try await read("networking/samples", curl) == 403)
            #expect(try await read("gauge/samples", host.owner) == 200)
            try await host.streams("access&storage") { events async throws in
                await events.read { ["access", "storage"].allSatisfy($0.names.contains) }
                let access = try #require(events.data("access").first)
                #expect(
                    access == """
                        {"items":[{"client":"curl","refusals":1,"refused":["networking"],\
                        "samples":6,"sensors":["gauge"]}]}
                        """)
                let storage = try #require(events.data("storage").first)
                let summary = try JSONDecoder().decode(
                    StorageSummary.self, from: Data(storage.utf8))
                let report = try await host.machine.retention.report()
                #expect(summary.budget == report.budget && summary.bytes == report.bytes)
                #expect(summary.free > 0)
            }
        }
    }

    @Test func `other clients get no list of the owner`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client(allow: ["sensor:gauge"])
            for part in ["requests", "runs", "notices", "list", "access", "storage"] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/stream?sensors=gauge&\(part)", token: token))
                #expect(answer.status == 403)
                #expect(answer.code == "owner-only")
            }
            for (query, name) in [
                ("", "sensors"), ("requests=false", "sensors"), ("requests=1", "requests"),
                ("request", "request"),
            ] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/stream?\(query)", token: host.owner))
                #expect(answer.status == 400, "\(query)")
                #expect(try answer.json()["detail"]?.string?.hasPrefix("\(name): ") == true)
            }
        }
    }

    @Test func `a stream of an owner's token ends with it`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.authority.createClient("desk", isOwner: true, expires: nil)
            try await host.streams("runs", token: token.text) { events async throws in
                await events.read { $0.names.contains("runs") }
                try await host.authority.revokeClient("desk")
                try await host.install()
                _ = try await host.supervisor.prepare(app: "my-app")
                await events.read { _ in false }
                #expect(events.data("runs") == [#"{"items":[]}"#])
                #expect(events.text.contains(#""code":"invalid-token""#))
            }
        }
    }
}

extension EventReader {
    /// A sample in a stream.
    struct Sample: Hashable {
        let id: Int64
        let sensor: String
        /// Its JSON, without the name of the sensor.
        let data: String
    }

    /// The samples with their sensors, in the order received.
    var samples: [Sample] {
        let pattern = /id: (\d+)\nevent: sample\ndata: {"sensor":"([^"]*)",([^\n]*)\n\n/
        return text.matches(of: pattern).compactMap { match in
            Int64(match.1).map { Sample(id: $0, sensor: String(match.2), data: "{\(match.3)") }
        }
    }

    /// The JSON of the samples of a stream of one sensor.
    var bodies: [String] {
        text.matches(of: /event: sample\ndata: ([^\n]*)\n\n/).map { String($0.1) }
    }

    /// The sensors that were refused, each with its code.
    var refusals: [String] {
        text.matches(of: /event: refused\ndata: {"sensor":"([^"]*)","problem":{"code":"([^"]*)"/)
            .map { "\($0.1) \($0.2)" }
    }

    /// The names of the events.
    var names: [String] { text.matches(of: /event: ([a-z]+)\n/).map { String($0.1) } }

    /// The data of the events of a name.
    func data(_ name: String) -> [String] {
        text.matches(of: /event: ([a-z]+)\ndata: ([^\n]*)\n\n/).filter { $0.1 == name }
            .map { String($0.2) }
    }

    /// Whether a heartbeat was received last: all samples were written before.
    var isIdle: Bool { text.hasSuffix("\r\n:\n\n\r\n") }

    /// Whether the server has closed the stream.
    var isEnded: Bool { text.hasSuffix("0\r\n\r\n") }
}

extension ServedHost {
    /// Opens a stream of several sensors, runs `body` and disconnects.
    func streams(
        _ query: String, after id: String? = nil, token: String? = nil, host: String? = nil,
        _ body: (EventReader) async throws -> Void
    ) async throws {
        let begun = { (events: EventReader) in
            events.text.contains(/: (the samples of|events)[^\n]*\nid: \d+\n\n/)
        }
        try await events(
            of: "/api/v1/stream?\(query)", after: id, token: token, host: host, begun: begun, body)
    }
}
