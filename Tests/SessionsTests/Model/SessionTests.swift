import Motion
import Samples
import Sessions
import Testing
import Tracks

struct SessionTests {
    private func time(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

    private func session(_ sensors: [SensorID] = ["location", "accelerometer"]) throws -> Session {
        try Session(
            id: "s-1", SessionDraft(name: "Run", sensors: sensors), created: time(0))
    }

    @Test func `G18: three instances of a sensor lie side by side, at the same moments`() throws {
        let sensors: [SensorID] = [
            "accelerometer.ankle", "accelerometer.left", "accelerometer.right",
        ]
        var session = try session(sensors)
        try session.apply(.start, at: time(100))
        #expect(sensors.allSatisfy { session.holds($0, at: time(101)) })
        #expect(!session.holds("accelerometer.hip", at: time(101)))
        // Each has a clock of its own: 20 ms apart, with another phase and another jitter.
        let samples = Dictionary(
            uniqueKeysWithValues: sensors.enumerated().map { place, sensor in
                let items = (0..<500).map { number in
                    let shift = Int64(place * 3000 + number % 5 * 700)
                    return Sample(
                        time: time(100).advanced(byMicroseconds: Int64(number) * 20_000 + shift),
                        values: [.number(Double(number))])
                }
                return (sensor, items)
            })
        let rows = try InstanceAlignment(samples, every: .milliseconds(20)).rows
        #expect(rows.count == 500)
        for (place, row) in rows.enumerated() {
            #expect(row.values == Array(repeating: [.number(Double(place))], count: 3))
        }
    }

    @Test func `G18: a sensor that is silent leaves a hole, and no sample counts twice`() throws {
        let left = [0, 1, 2, 4].map { Sample(time: time($0), values: [.integer($0)]) }
        let right = [
            Sample(time: time(0).advanced(byMicroseconds: 500_000), values: [.integer(10)]),
            Sample(time: time(0).advanced(byMicroseconds: 500_001), values: [.integer(11)]),
            Sample(time: time(1).advanced(byMicroseconds: 100), values: [.integer(12)]),
        ]
        let found = try InstanceAlignment(["a.left": left, "a.right": right], every: .seconds(1))
        #expect(found.sensors == ["a.left", "a.right"])
        #expect(
            found.rows.map(\.values) == [
                [[.integer(0)], [.integer(10)]], [[.integer(1)], [.integer(12)]],
                [[.integer(2)], nil], [[.integer(4)], nil],
            ])
        #expect(throws: TrackError.self) {
            try InstanceAlignment(["a": left], every: .seconds(1), atMost: 3)
        }
        #expect(throws: TrackError.self) { try InstanceAlignment(["a": left], every: .zero) }
        let ends = [Timestamp.distantPast, .distantFuture].map { Sample(time: $0, values: []) }
        #expect(try InstanceAlignment(["a": ends], every: .microseconds(3)).rows.count == 2)
    }

    @Test func `a session is what was active, and nothing of a pause`() throws {
        var session = try session()
        try session.apply(.start, at: time(10))
        try session.apply(.pause, at: time(20))
        try session.apply(.resume, at: time(30))
        #expect(
            session.spans(until: time(35)) == [
                TimeRange(from: time(10), to: time(20)), TimeRange(from: time(30), to: time(35)),
            ])
        try session.apply(.finish, at: time(40))
        let held = (0..<50).filter { session.holds("location", at: time(Int64($0))) }
        #expect(held == Array(10..<20) + Array(30..<40))
        #expect(!session.holds("cpu", at: time(15)))
        #expect(session.holds("accelerometer.left", at: time(15)))
        let error = #expect(throws: TrackError.self) { try session.apply(.start, at: time(50)) }
        #expect(error?.code == .wrongState)
    }

    @Test func `a wall clock that is set back makes no span overlap`() throws {
        var session = try session()
        try session.apply(.start, at: time(100))
        try session.apply(.pause, at: time(200))
        try session.apply(.resume, at: time(50))
        try session.apply(.finish, at: time(60))
        #expect(
            session.spans == [
                TimeRange(from: time(100), to: time(200)),
                TimeRange(from: time(200), to: time(200)),
            ])
    }

    @Test func `its words change at any time, its sensors before it begins`() throws {
        var session = try session()
        try session.update(SessionDraft(name: "Walk", sensors: ["location"]))
        try session.apply(.start, at: time(1))
        try session.update(
            SessionDraft(name: "Long walk", description: "Rain", sensors: ["location"]))
        #expect(session.name == "Long walk")
        #expect(session.description == "Rain")
        let other = try SessionDraft(name: "Walk", sensors: ["cpu"])
        #expect(throws: TrackError.self) { try session.update(other) }
        try session.apply(.finish, at: time(2))
        #expect(throws: TrackError.self) { try session.update(other) }
    }

    @Test(
        arguments: [
            ("", "", ["cpu"], false), ("  \n ", "", ["cpu"], false), ("Run", "", [], false),
            ("Run", "", ["cpu", "cpu"], false), ("R\u{7}un", "", ["cpu"], false),
            ("Run\nfast", "", ["cpu"], false), ("Run", "a\u{1B}[2J", ["cpu"], false),
            ("Run", "two\nlines\t", ["cpu"], true), (" Run ", "", ["cpu", "cpu.x"], true),
            (String(repeating: "x", count: 100), "", ["cpu"], true),
            (String(repeating: "x", count: 101), "", ["cpu"], false),
            ("e" + String(repeating: "\u{301}", count: 5000), "", ["cpu"], false),
            ("Run", String(repeating: "x", count: 2001), ["cpu"], false),
        ] as [(String, String, [SensorID], Bool)])
    func `a session is named and described in bounds`(
        name: String, description: String, sensors: [SensorID], isValid: Bool
    ) {
        let draft = try? SessionDraft(name: name, description: description, sensors: sensors)
        #expect((draft != nil) == isValid)
        if let draft { #expect(draft.name.first != " " && draft.name.last != " ") }
    }

    @Test(arguments: ["", "A", "a b", "../x", "ä", String(repeating: "a", count: 65)])
    func `an identifier is a short name`(id: String) throws {
        let draft = try SessionDraft(name: "Run", sensors: ["cpu"])
        #expect(throws: TrackError.self) { try Session(id: id, draft, created: time(0)) }
    }
}
