import Ingest
import Samples
import Testing

struct SampleMakerTests {
    /// 2026-03-01T12:00:00Z.
    static let now = Timestamp(microseconds: 1_772_366_400_000_000)

    private static let rules = [
        FieldRule(Field("temperature", unit: "Cel")), FieldRule(Field("humidity", unit: "%")),
    ]

    private static func maker(
        time: TimeRule? = nil, isSparse: Bool = false, takesOnlyChanges: Bool = false
    ) throws -> SampleMaker {
        try SampleMaker(
            format: .keyValue, names: ["t", "h"], rules: rules, time: time, isSparse: isSparse,
            takesOnlyChanges: takesOnlyChanges)
    }

    private static func sample(
        _ numbers: Double..., after seconds: Int64 = 0
    ) -> SampleMaker.Outcome {
        .sample(
            Sample(
                time: now.advanced(byMicroseconds: seconds * 1_000_000),
                values: numbers.map { .number($0) }))
    }

    @Test(
        arguments: [
            ("t: 1, h: 2", sample(1, 2)), ("h=2;t=1", sample(1, 2)), ("t: 1", .incomplete),
            ("x: 1", .incomplete), ("nonsense", .malformed), ("t: warm, h: 2", .malformed),
            ("t: 1, h: nan", .malformed), ("\u{1B}[31mt: 1, h: 2", .malformed),
        ] as [(String, SampleMaker.Outcome)])
    func `a payload without a field is dropped and counted`(
        line: String, outcome: SampleMaker.Outcome
    ) throws {
        var maker = try Self.maker()
        #expect(maker.take(Array(line.utf8), at: Self.now) == outcome)
        #expect(maker.counts.received == 1)
        #expect(maker.counts.incomplete == (outcome == .incomplete ? 1 : 0))
        #expect(maker.counts.malformed == (outcome == .malformed ? 1 : 0))
        #expect(maker.counts.accepted + maker.counts.incomplete + maker.counts.malformed == 1)
    }

    @Test func `the clock offset is that of the payload of least delay, also of refused ones`()
        throws
    {
        var maker = try Self.maker(time: TimeRule("time", form: .s))
        #expect(maker.clockOffset == nil)
        let seconds = Self.now.microseconds / 1_000_000
        for (ahead, outcome) in [
            (-600, Self.sample(1, 2, after: -600)), (-3, Self.sample(1, 2, after: -3)),
            (-60, Self.sample(1, 2, after: -60)),
        ] {
            let line = Array("t=1;h=2;time=\(seconds + Int64(ahead))".utf8)
            #expect(maker.take(line, at: Self.now) == outcome)
        }
        #expect(maker.clockOffset?.ahead == .seconds(-3))
        // A clock that shows local time.
        let line = Array("t=1;h=2;time=\(seconds + 3600)".utf8)
        #expect(maker.take(line, at: Self.now) == .invalidTimestamp)
        #expect(maker.clockOffset?.ahead == .seconds(3600))
        // The arrival time is the host's.
        var unstamped = try Self.maker()
        #expect(unstamped.take(Array("t=1;h=2".utf8), at: Self.now) == Self.sample(1, 2))
        #expect(unstamped.clockOffset == nil)
    }

    @Test func `an unknown value is replaced if the pack defines a substitute`() throws {
        let rules = [
            FieldRule(Field("lock", kind: .state), unknown: .text("unknown")),
            FieldRule(Field("battery"), unknown: .number(-1), margin: 5),
        ]
        var maker = try SampleMaker(
            format: .keyValue, names: ["l", "b"], rules: rules, isSparse: true,
            takesOnlyChanges: true)
        func take(_ line: String) -> [Value]? {
            guard case .sample(let sample) = maker.take(Array(line.utf8), at: Self.now) else {
                return nil
            }
            return sample.values
        }
        #expect(take("b: 3") == [.text("unknown"), .number(3)])
        #expect(take("l: open") == [.text("open"), .number(3)])
        maker.restart()
        #expect(take("x: 1") == nil)
        #expect(take("l: open") == [.text("open"), .number(-1)])
        // A known value after the substitute is a change, even within the margin.
        #expect(take("b: 0") == [.text("open"), .number(0)])
    }

    @Test func `a number that a device sends for an unknown value counts as missing`() throws {
        let battery = FieldRule(
            Field("battery", unit: "%"), limits: 0...100, unknown: .number(-1))
        var maker = try SampleMaker(
            format: .keyValue, names: ["l", "b"], rules: [FieldRule(Field("lock")), battery],
            isSparse: true)
        func take(_ line: String) -> [Value]? {
            guard case .sample(let sample) = maker.take(Array(line.utf8), at: Self.now) else {
                return nil
            }
            return sample.values
        }
        // Within the limits it would be 0 %.
        #expect(take("l: 1; b: -1.00%") == [.number(1), .number(-1)])
        #expect(take("l: 1; b: 80%") == [.number(1), .number(80)])
        #expect(take("l: 0; b: -1%") == [.number(0), .number(80)])
        #expect(take("l: 0; b: -2%") == [.number(0), .number(0)])
        // Without a substitute there is no value, and so no sample.
        var level = SampleMaker(
            name: "level", rule: FieldRule(Field("level", unit: "%"), sentinel: -1))
        #expect(level.take(Reading(values: ["level": .number(-1)]), at: Self.now) == .incomplete)
        #expect(level.counts.incomplete == 1 && level.counts.malformed == 0)
    }

    @Test func `a difference within the margin is not a change`() throws {
        var maker = try SampleMaker(
            format: .keyValue, names: ["l", "b"],
            rules: [
                FieldRule(Field("lock", kind: .state), unknown: .text("unknown")),
                FieldRule(Field("battery"), margin: 5),
            ], isSparse: true, takesOnlyChanges: true)
        let lines = [
            "b: 80", "b: 75", "b: 85", "b: 74.9", "b: 70", "l: open", "b: 65", "b: 64.9", "b: nan",
        ]
        let reported = lines.filter {
            if case .sample = maker.take(Array($0.utf8), at: Self.now) { true } else { false }
        }
        // The battery was sent together with the lock.
        #expect(reported == ["b: 80", "b: 74.9", "l: open", "b: 64.9"])
    }

    @Test(
        arguments: [
            (0, true), (-1, true), (59, true), (60, true), (61, false), (86_400, false),
            (-86_400 * 365, true), (-86_400 * 366 * 26, true), (-86_400 * 366 * 27, false),
        ] as [(Int64, Bool)])
    func `a time from 2000 to one minute ahead is accepted, any other is counted as invalid`(
        seconds: Int64, isTaken: Bool
    ) throws {
        var maker = try Self.maker(time: TimeRule("at", form: .us))
        let time = Self.now.microseconds + seconds * 1_000_000
        let outcome = maker.take(Array("t: 1, h: 2, at: \(time)".utf8), at: Self.now)
        #expect(outcome == (isTaken ? Self.sample(1, 2, after: seconds) : .invalidTimestamp))
        #expect(maker.counts.invalidTimestamp == (isTaken ? 0 : 1))
    }

    @Test(arguments: ["t: 1, h: 2", "t: 1, h: 2, at: soon", "t: 1, h: 2, at: 1e300"])
    func `a payload without a required time is counted`(line: String) throws {
        var maker = try Self.maker(time: TimeRule("at", form: .s))
        #expect(maker.take(Array(line.utf8), at: Self.now) == .invalidTimestamp)
        #expect(maker.counts.invalidTimestamp == 1)
    }

    @Test func `a repetition with the same time counts once, and late samples are kept`() throws {
        var maker = try Self.maker(time: TimeRule("at", form: .us))
        func take(_ t: Int, at seconds: Int64) -> SampleMaker.Outcome {
            let time = Self.now.microseconds + seconds * 1_000_000
            return maker.take(Array("t: \(t), h: 0, at: \(time)".utf8), at: Self.now)
        }
        #expect(take(1, at: 0) == Self.sample(1, 0))
        #expect(take(1, at: 0) == .repeated)
        #expect(take(2, at: 0) == Self.sample(2, 0))
        #expect(take(1, at: -5) == Self.sample(1, 0, after: -5))
        #expect(take(1, at: -5) == .repeated)
        #expect(take(1, at: 1) == Self.sample(1, 0, after: 1))
        #expect(maker.counts.repeated == 2)
        #expect(maker.counts.late == 1)
        #expect(maker.counts.accepted == 4)
        #expect(maker.counts.received == 6)
    }

    @Test func `samples with arrival times can be equal`() throws {
        var maker = try Self.maker()
        for _ in 0..<3 {
            #expect(maker.take(Array("t: 1, h: 2".utf8), at: Self.now) == Self.sample(1, 2))
        }
        #expect(maker.counts.accepted == 3)
    }

    @Test func `with changes only, ten equal polls are one sample`() throws {
        var maker = try Self.maker(takesOnlyChanges: true)
        func poll(_ t: Int) -> SampleMaker.Outcome {
            maker.take(Array("t: \(t), h: 0".utf8), at: Self.now)
        }
        #expect(poll(1) == Self.sample(1, 0))
        for _ in 0..<9 { #expect(poll(1) == .repeated) }
        #expect(poll(2) == Self.sample(2, 0))
        #expect(poll(1) == Self.sample(1, 0))
        // After connecting, the current value is received first.
        maker.restart()
        #expect(poll(1) == Self.sample(1, 0))
        #expect(poll(1) == .repeated)
        #expect(maker.counts.repeated == 10)
        #expect(maker.counts.accepted == 4)
    }

    @Test func `a sparse source completes a sample with earlier values`() throws {
        var maker = try Self.maker(isSparse: true)
        func take(_ line: String) -> SampleMaker.Outcome {
            maker.take(Array(line.utf8), at: Self.now)
        }
        #expect(take("t: 1") == .incomplete)
        #expect(take("h: 2") == Self.sample(1, 2))
        #expect(take("t: 3") == Self.sample(3, 2))
        #expect(take("h: nan") == .malformed)
        #expect(take("x: 5") == .incomplete)
        #expect(take("t: 4") == Self.sample(4, 2))
        // Values from before a disconnect are not current.
        maker.restart()
        #expect(take("t: 5") == .incomplete)
        #expect(take("h: 6") == Self.sample(5, 6))
    }

    @Test func `a reading with named values becomes a sample`() throws {
        var maker = try SampleMaker(format: .named, names: ["a", "b"], rules: Self.rules)
        let values: [String: Value] = ["a": .integer(1), "b": .text("2"), "c": .integer(3)]
        #expect(maker.take(Reading(values: values), at: Self.now) == Self.sample(1, 2))
        #expect(maker.take(Reading(values: ["a": .integer(1)]), at: Self.now) == .incomplete)
        let early = Timestamp(microseconds: 0)
        #expect(maker.take(Reading(time: early, values: values), at: Self.now) == .invalidTimestamp)
        #expect(
            maker.take(
                Reading(time: Self.now.advanced(byMicroseconds: -1_000_000), values: values),
                at: Self.now) == Self.sample(1, 2, after: -1))
        #expect(maker.take(Array("a: 1".utf8), at: Self.now) == .malformed)
    }

    @Test func `a description without fields or with too few names is rejected`() {
        #expect(throws: PayloadError.self) {
            try SampleMaker(format: .plain, names: [], rules: [])
        }
        #expect(throws: PayloadError.self) {
            try SampleMaker(format: .plain, names: ["a"], rules: Self.rules)
        }
    }
}
