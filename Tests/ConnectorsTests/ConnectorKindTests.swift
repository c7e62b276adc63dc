import Ingest
import Samples
import TestSupport
import Testing
import VM

@testable import Connectors

/// Behaviour common to all kinds of sources, with real terminals, processes and servers.
@Suite(.blocking)
struct ConnectorKindTests {
    static let now = SourceTests.start

    /// Lines such as `v: 1`, or `v: 1, at: 1772366400`.
    static func source(
        _ connector: any Connector, hasTime: Bool = false, highestRate: Double = 1000
    ) throws -> SupervisedSource {
        let maker = try SampleMaker(
            format: .keyValue, names: ["v"], rules: [FieldRule(Field("v"))],
            time: hasTime ? TimeRule("at", form: .s) : nil)
        return SupervisedSource(
            connector, maker: maker, highestRate: highestRate,
            time: ScriptedTime(
                clock: { now }, wait: { _ in try await Task.sleep(for: .milliseconds(5)) }))
    }

    /// Waits until the report fulfils a condition.
    ///
    /// - Returns: the report that fulfilled it; a later one may differ, because a source reconnects.
    @discardableResult
    static func reach(
        _ source: SupervisedSource, _ what: String, _ isReached: (SourceReport) -> Bool
    ) async throws -> SourceReport {
        var reached: SourceReport?
        try await until(otherwise: { "\(what): \(source.report.map { "\($0)" } ?? "none")" }) {
            reached = source.report
            return reached.map(isReached) ?? true
        }
        return try #require(reached)
    }

    static func connected(_ source: SupervisedSource, times: Int = 1) async throws {
        try await reach(source, "connection \(times)") {
            $0.link == .connected && $0.connections >= times
        }
    }

    @Test(arguments: DeviceKind.allCases)
    func `a source connects, disconnects and reconnects, as its state reports`(kind: DeviceKind)
        async throws
    {
        try await kind.with { device in
            let source = try Self.source(device.connector)
            var samples = source.samples().makeAsyncIterator()
            let absent = try await Self.reach(source, "its absence") { $0.problem != nil }
            // A program that runs for a second counts as connected, and on a busy machine one that fails can.
            #expect(absent.connections == 0 || kind == .command)
            for session in 1...3 {
                try await device.attach()
                try await Self.connected(source, times: session)
                try await device.send("v: \(session)\r\n")
                let sample = try await samples.next()
                #expect(sample == Sample(time: Self.now, values: [.number(Double(session))]))
                try await device.detach()
                try await Self.reach(source, "its end") {
                    $0.link != .connected && $0.problem != nil
                }
            }
            let report = try #require(source.report)
            #expect(report.accepted == 3)
            #expect(report.dropped.total == 0)
        }
    }

    @Test(arguments: DeviceKind.allCases)
    func `garbage is skipped and counted`(kind: DeviceKind) async throws {
        try await kind.with { device in
            try await device.attach()
            let source = try Self.source(device.connector)
            var samples = source.samples().makeAsyncIterator()
            try await Self.connected(source)
            // Bytes as received with a wrong baud rate, without line ends.
            let noise = (0..<6000).map { UInt8(truncatingIfNeeded: $0 * 7) | 0x80 }
            try await device.send(noise + [0x0A])
            try await device.send("\u{0}\u{1B}[2J\nSwitch state 1\nv: one\nv: 1\n")
            #expect(try await samples.next()?.values == [.number(1)])
            let report = try #require(source.report)
            #expect(report.dropped.malformed == 4)
            #expect(report.received == 5)
            #expect(report.link == .connected)
            withExtendedLifetime(samples) {}
        }
    }

    @Test(arguments: DeviceKind.allCases)
    func `messages above the rate limit are dropped, and every message is counted`(kind: DeviceKind)
        async throws
    {
        try await kind.with { device in
            try await device.attach()
            let source = try Self.source(device.connector, highestRate: 1000)
            var samples = source.samples().makeAsyncIterator()
            try await Self.connected(source)
            try await device.send((0..<3000).map { "v: \($0)\n" }.joined())
            try await Self.reach(source, "the end of the flood") { $0.received == 3000 }
            #expect(source.report?.accepted == 1000)
            #expect(source.report?.dropped.excess == 2000)
            for number in 0..<1000 {
                #expect(try await samples.next()?.values == [.number(Double(number))])
            }
        }
    }

    @Test(arguments: DeviceKind.allCases)
    func `old, future and repeated times are counted separately`(kind: DeviceKind) async throws {
        try await kind.with { device in
            try await device.attach()
            let source = try Self.source(device.connector, hasTime: true)
            let samples = source.samples()
            try await Self.connected(source)
            let now = Self.now.microseconds / 1_000_000
            let times = [now, now, now - 3600, now + 30, now + 3600, 0, 946_684_799]
            try await device.send(times.map { "v: 1, at: \($0)\n" }.joined() + "v: 1\n")
            try await Self.reach(source, "all") { $0.received == 8 }
            let report = try #require(source.report)
            #expect(report.accepted == 3)
            #expect(report.late == 1)
            #expect(report.dropped.repeated == 1)
            #expect(report.dropped.invalidTimestamp == 4)
            withExtendedLifetime(samples) {}
        }
    }

    @Test(arguments: DeviceKind.streams)
    func `a line that arrives in parts is joined`(kind: DeviceKind) async throws {
        try await kind.with { device in
            try await device.attach()
            let source = try Self.source(device.connector)
            var samples = source.samples().makeAsyncIterator()
            try await Self.connected(source)
            for piece in ["v", ": ", "4", "2", "\r", "\n", "v: 5", "\r\nv: 6\n"] {
                try await device.send(piece)
            }
            for number in [42.0, 5, 6] {
                #expect(try await samples.next()?.values == [.number(number)])
            }
            #expect(source.report?.received == 3)
        }
    }

    @Test(arguments: DeviceKind.allCases)
    func `a line that is truncated by a disconnect is dropped`(kind: DeviceKind) async throws {
        try await kind.with { device in
            try await device.attach()
            let source = try Self.source(device.connector)
            var samples = source.samples().makeAsyncIterator()
            try await Self.connected(source)
            try await device.send("v: 1\n")
            #expect(try await samples.next()?.values == [.number(1)])
            try await device.detach(sending: Array("v: 9".utf8))
            try await Self.reach(source, "its end") { $0.link != .connected && $0.problem != nil }
            try await device.attach()
            try await Self.connected(source, times: 2)
            try await device.send("9\nv: 2\n")
            #expect(try await samples.next()?.values == [.number(2)])
            #expect(source.report?.accepted == 2)
        }
    }

    @Test(arguments: DeviceKind.streams)
    func `a cancelled source is closed`(kind: DeviceKind) async throws {
        try await kind.with { device in
            try await device.attach()
            let source = try Self.source(device.connector)
            for _ in 0..<2 {
                let before = source.report?.connections ?? 0
                let task = Task {
                    for try await _ in source.samples() {}
                }
                try await Self.connected(source, times: before + 1)
                #expect(await device.isInUse)
                task.cancel()
                try await task.value
                try await until { await !device.isInUse }
            }
        }
    }
}
