import Ingest
import Samples
import Scheduling
import TestSupport
import Testing
import Tracks
import VM

@testable import Connectors

/// Connections to a scripted gpsd over real sockets.
@Suite(.timeLimit(.minutes(10)))
struct GPSDConnectorTests {
    private static let greeting =
        #"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"
    private static let base = Timestamp.now().advanced(byMicroseconds: -3_600_000_000)

    /// A report of a fix, the given seconds after the base time, an hour ago.
    private static func fix(_ second: Double, latitude: Double = 47, eph: Double = 5) -> String {
        let time = base.advanced(byMicroseconds: Int64(second * 1e6)).description
        return #"{"class":"TPV","device":"/dev/a","mode":3,"time":"\#(time)","lat":\#(latitude),"#
            + #""lon":8,"altMSL":400,"eph":\#(eph),"speed":1,"track":90}"# + "\r\n"
    }

    private static func source(
        _ port: Int, device: String? = nil, report: GPSDConnector.Report = .fix,
        highestRate: Double = SupervisedSource.standardRate, time: ScriptedTime = clock
    ) throws -> SupervisedSource {
        let fields =
            switch report {
            case .fix: Fix.fields
            case .satellites:
                ["used", "visible"].map { Field($0, unit: "{satellite}", kind: .integer) }
            case .quality: GPSDConnector.qualityFields
            case .time: ["gpsTime", "delay"].map { Field($0, unit: "s") }
            }
        return SupervisedSource(
            GPSDConnector(port: port, device: device, report: report, time: time),
            maker: try SampleMaker(
                format: .named, names: fields.map(\.name), rules: fields.map { FieldRule($0) }),
            highestRate: highestRate, time: time)
    }

    /// Everything arrives half a minute after the base time.
    private static let clock = ScriptedTime(
        clock: { base.advanced(byMicroseconds: 30_000_000) }, wait: { _ in })

    private static func server(
        _ answers: String..., ends: Bool = true
    ) async throws -> ScriptedServer {
        try await ScriptedServer { number in
            ScriptedServer.Script(
                greeting: greeting,
                answer: answers.indices.contains(number) ? Array(answers[number].utf8) : [],
                ends: ends && number < answers.count - 1)
        }
    }

    @Test func `a fix of gpsd becomes a location sample`() async throws {
        let server = try await Self.server(Self.fix(0))
        let source = try Self.source(server.port)
        let samples = try await source.take(1)
        #expect(samples.map(\.time) == [Self.base])
        #expect(samples.first?.values == [47, 8, 400, 5, 1, 90].map { .number($0) })
        #expect(server.received == [#"?WATCH={"enable":true,"json":true}"# + "\n"])
        try await until { server.open == 0 }
    }

    @Test func `one of several receivers can be chosen`() async throws {
        let other = Self.fix(0).replacing("/dev/a", with: "/dev/b")
        let server = try await Self.server(other + Self.fix(1))
        let source = try Self.source(server.port, device: "/dev/a")
        #expect(
            try await source.take(1).map(\.time.microseconds).first == Self.base.microseconds
                + 1_000_000)
        #expect(
            server.received == [#"?WATCH={"enable":true,"json":true,"device":"/dev/a"}"# + "\n"])
    }

    @Test func `the satellites are counted`() async throws {
        let sky = #"{"class":"SKY","uSat":5,"nSat":9}"# + "\n"
        let server = try await Self.server(Self.fix(0) + sky)
        let source = try Self.source(server.port, report: .satellites)
        #expect(try await source.take(1).map(\.values) == [[.integer(5), .integer(9)]])
        #expect(source.report?.dropped.total == 0)
    }

    @Test func `the time of a fix is kept beside its arrival`() async throws {
        // A receiver that does not know the time yet has nothing to compare.
        let timeless = Self.fix(0).replacing("\"time\"", with: "\"at\"")
        let server = try await Self.server(timeless + Self.fix(1) + Self.fix(2))
        let source = try Self.source(server.port, report: .time)
        let samples = try await source.take(2)
        for (sample, second) in zip(samples, [1.0, 2]) {
            let seconds = Double(Self.base.microseconds) / 1e6 + second
            let values = sample.values.compactMap(\.double)
            #expect(values.count == 2)
            #expect(abs(values[0] - seconds) < 1e-5)
            #expect(abs(Double(sample.time.microseconds) / 1e6 - values[0] - values[1]) < 1e-5)
            #expect(abs(values[1] - (30 - second)) < 1e-5)
        }
        #expect(source.report?.clock == nil)
    }

    @Test func `the clock offset of a receiver is that of its fixes with a time`() async throws {
        let timeless = Self.fix(0).replacing("\"time\"", with: "\"at\"")
        let server = try await Self.server(timeless + timeless + Self.fix(0) + Self.fix(3))
        let source = try Self.source(server.port)
        #expect(try await source.take(4).count == 4)
        let ahead = try #require(source.report?.clock?.ahead)
        #expect(ahead < .seconds(-25) && ahead > .seconds(-35))
    }

    @Test(arguments: [(9.0, true, true), (11, false, true), (99, false, true), (101, false, false)])
    func `the accuracy of a fix decides which limits accept it`(
        eph: Double, isFine: Bool, isCoarse: Bool
    ) async throws {
        let server = try await Self.server(Self.fix(0, eph: eph))
        let sample = try #require(try await Self.source(server.port).take(1).first)
        let fix = try #require(Fix(sample, fields: Fix.fields))
        #expect(fix.accuracy == eph)
        #expect(AccuracyLimit.fine.accepts(fix) == isFine)
        #expect(AccuracyLimit.coarse.accepts(fix) == isCoarse)
    }

    @Test(arguments: [0, 1, 5])
    func `every fix of a batch is accepted, and the newest is the latest sample`(
        count: Int
    ) async throws {
        // The newest fix is sent first.
        let batch = (0..<count).map { Self.fix(40 - Double($0)) }.joined()
        let server = try await Self.server(batch + Self.fix(1, latitude: 48))
        let samples = try await Self.source(server.port).take(count + 1)
        let fixes = samples.compactMap { Fix($0, fields: Fix.fields) }
        #expect(fixes.count == count + 1)
        let newest = try #require(Fix.newest(of: fixes))
        let seconds: Int64 = count == 0 ? 1 : 40
        #expect(newest.time == Self.base.advanced(byMicroseconds: seconds * 1_000_000))
    }

    @Test func `reports without a fix are dropped and counted`() async throws {
        let huge = #"{"class":"TPV","x":""# + String(repeating: "a", count: 1 << 20) + "\"}\n"
        let server = try await Self.server(
            "garbage\n\u{0}\u{1}\n" + Self.fix(0) + huge + Self.fix(0)
                + #"{"class":"TPV","mode":3,"lat":100,"lon":0}"# + "\n" + Self.fix(1)
                + #"{"class":"TPV","mode":1}"# + "\n{\"class\":\"TPV\",\"mo",
            Self.fix(2))
        let source = try Self.source(server.port)
        let samples = try await source.take(3)
        #expect(
            samples.map { ($0.time.microseconds - Self.base.microseconds) / 1_000_000 } == [
                0, 1, 2,
            ])
        let dropped = try #require(source.report?.dropped)
        #expect(dropped.malformed == 4)
        #expect(dropped.invalidTimestamp == 0)
        #expect(dropped.repeated == 1)
        #expect(source.report?.accepted == 3)
        #expect(server.connections == 2)
    }

    @Test func `gpsd is reconnected after a restart`() async throws {
        // Reserves the port while no server listens on it.
        let reserved = ClosedPort(allowsReuse: true)
        let port = reserved.number
        let first = try await ScriptedServer(port: port) { _ in
            .init(greeting: Self.greeting, answer: Array(Self.fix(0).utf8))
        }
        let source = try Self.source(port)
        var times: [Timestamp] = []
        var second: ScriptedServer?
        for try await sample in source.samples() {
            times.append(sample.time)
            if times.count == 2 { break }
            try await first.close()
            second = try await ScriptedServer(port: port) { _ in
                .init(greeting: Self.greeting, answer: Array(Self.fix(1).utf8))
            }
            // The connection stays open when the server stops accepting.
            first.closeConnections()
        }
        #expect(times.map { $0.microseconds - Self.base.microseconds } == [0, 1_000_000])
        #expect(source.report?.connections == 2)
        #expect(second?.connections == 1)
        withExtendedLifetime(reserved) {}
    }

    @Test func `fixes above the rate limit are dropped in bounded memory`() async throws {
        let server = try await ScriptedServer { _ in
            .init(
                greeting: Self.greeting,
                answer: Array(
                    String(repeating: Self.fix(0).replacing("\"time\"", with: "\"at\""), count: 50)
                        .utf8), endless: true)
        }
        let source = try Self.source(
            server.port, highestRate: 10, time: ScriptedTime.withoutWaiting)
        for try await _ in source.samples() {
            if let excess = source.report?.dropped.excess, excess > 100 { break }
        }
        let report = try #require(source.report)
        #expect(report.accepted + report.dropped.excess == report.received)
        try await until { server.open == 0 }
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request\r\n\r\n", "", "{\"class\":\"TPV\",\"mode\":3}\n",
    ])
    func `a server that is not gpsd is reported`(greeting: String) async throws {
        let server = try await ScriptedServer { _ in .init(greeting: greeting) }
        let source = try Self.source(server.port)
        let task = Task { try await source.take(1) }
        try await until { server.open == 1 }
        try await server.close()
        server.closeConnections()
        try await until { source.report?.problem != nil }
        let problem = try #require(source.report?.problem)
        #expect(problem.hasPrefix("gpsd at 127.0.0.1:\(server.port) "))
        #expect(source.report?.connections == 0)
        task.cancel()
        _ = try? await task.value
    }

    @Test func `a cancelled connection ends at once`() async throws {
        let server = try await ScriptedServer { _ in .init(greeting: "") }
        let connector = GPSDConnector(port: server.port)
        let sink = SampleSink(
            maker: try SampleMaker(
                format: .named, names: ["latitude"], rules: [FieldRule(Field("latitude"))]),
            limit: TokenBucket(rate: 10), time: .system)
        let task = Task { try await connector.connect(sink) }
        try await until { server.open == 1 }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        try await until { server.open == 0 }
    }

    @Test func `error messages of gpsd are reported`() async throws {
        let server = try await Self.server(
            #"{"class":"ERROR","message":"no such device"}"# + "\n" + Self.fix(0))
        let source = try Self.source(server.port)
        _ = try await source.take(1)
        #expect(
            source.report?.problem == "gpsd at 127.0.0.1:\(server.port) reported: no such device.")
    }

    @Test(arguments: [
        // The machine's time is 2026-11-27T10:00:00Z.
        ("2026-11-27T10:00:59Z", true, nil), ("2026-11-27T09:59:01Z", true, nil),
        ("2026-11-27T10:01:01Z", false, "61 seconds ahead;"),
        ("2026-11-26T10:00:00Z", false, "1 day behind;"),
        ("1999-12-31T23:59:59Z", false, "9827 days behind;"),
        ("2007-04-13T10:00:00Z", false, "1024 weeks behind, as after a rollover"),
        ("1987-08-28T10:00:00Z", false, "2048 weeks behind, as after a rollover"),
        ("2046-07-13T10:00:00Z", false, "1024 weeks ahead, as after a rollover"),
    ])
    func `fixes of a receiver with a wrong date are stored at their arrival, with a problem`(
        date: String, isRight: Bool, problem: String?
    ) async throws {
        let now = try #require(Timestamp(rfc3339: "2026-11-27T10:00:00Z"))
        let time = ScriptedTime(clock: { now }, wait: { _ in })
        let server = try await Self.server(
            #"{"class":"TPV","device":"/dev/a","mode":3,"time":"\#(date)","lat":47,"lon":8}"# + "\n"
        )
        let source = SupervisedSource(
            GPSDConnector(port: server.port, time: time),
            maker: try SampleMaker(
                format: .named, names: Fix.fields.map(\.name),
                rules: Fix.fields.map { FieldRule($0) }), time: time)
        let samples = try await source.take(1)
        #expect(samples.first?.time == (isRight ? Timestamp(rfc3339: date) : now))
        #expect(source.report?.dropped.total == 0)
        guard let problem else {
            #expect(source.report?.problem == nil)
            return
        }
        let reported = try #require(source.report?.problem)
        #expect(
            reported.contains("the receiver /dev/a reports the date \(date.prefix(10)), \(problem)")
        )
        #expect(reported.contains("stored with the time at which they arrive"))
    }

    @Test(arguments: [
        (#"{"class":"DEVICE","path":"/dev/a","activated":"2026-11-27T10:00:00Z"}"#, true),
        (#"{"class":"DEVICE","path":"/dev/a","activated":1795773600.5}"#, true),
        (#"{"class":"DEVICE","path":"/dev/a","activated":0}"#, false),
        (#"{"class":"DEVICES","devices":[{"path":"/dev/a"}]}"#, true),
        (#"{"class":"TPV","mode":3,"lat":1,"lon":2}"#, true),
        (#"{"class":"TPV","mode":1}"#, false),
    ])
    func `a receiver that is plugged in later is no longer missing`(
        line: String, isThere: Bool
    ) throws {
        let sink = SampleSink(
            maker: try SampleMaker(
                format: .named, names: Fix.fields.map(\.name),
                rules: Fix.fields.map { FieldRule($0) }),
            limit: TokenBucket(rate: 100), time: ScriptedTime.withoutWaiting)
        var conversation = GPSDConversation(GPSDConnector(), sink)
        _ = conversation.take(Array(Self.greeting.utf8))
        conversation.begin()
        _ = conversation.take(Array((#"{"class":"DEVICES","devices":[]}"# + "\n").utf8))
        #expect(sink.report.problem == "gpsd at 127.0.0.1:2947 has no receiver.")
        _ = conversation.take(Array((line + "\n").utf8))
        #expect((sink.report.problem == nil) == isThere)
    }

    @Test func `the quality of a fix has the dilutions of its receiver`() async throws {
        let sky =
            #"{"class":"SKY","device":"/dev/a","hdop":1.5,"vdop":2.25,"uSat":5,"nSat":9}"# + "\n"
            + #"{"class":"SKY","device":"/dev/b","hdop":9,"pdop":9}"# + "\n"
        let fix = Self.fix(1).replacing(
            #""speed":1"#, with: #""climb":-0.25,"epv":8,"eps":0.5,"epd":3,"epc":0.75,"speed":1"#)
        let server = try await Self.server(Self.fix(0) + sky + fix)
        let samples = try await Self.source(server.port, report: .quality).take(2)
        #expect(
            samples.first?.values == [
                .integer(3), .number(5), .number(-1), .number(-1), .number(-1), .number(-9999),
                .number(-1), .number(-1), .number(-1), .number(-1),
            ])
        #expect(
            samples.last?.values == [
                .integer(3), .number(5), .number(8), .number(0.5), .number(3), .number(-0.25),
                .number(0.75), .number(1.5), .number(2.25), .number(-1),
            ])
        #expect(samples.last?.time == Self.base.advanced(byMicroseconds: 1_000_000))
    }
}
