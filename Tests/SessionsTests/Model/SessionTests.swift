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

    @Test func `only samples of the chosen instances belong to a session`() throws {
        let sensors: [SensorID] = [
            "accelerometer.ankle", "accelerometer.left", "accelerometer.right",
        ]
        var session = try session(sensors)
        try session.apply(.start, at: time(100))
        #expect(sensors.allSatisfy { session.holds($0, at: time(101)) })
        #expect(!session.holds("accelerometer.hip", at: time(101)))
    }

    @Test func `a session excludes its pauses`() throws {
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
        let error = #expect(throws: SessionsError.self) { try session.apply(.start, at: time(50)) }
        #expect(error?.code == .wrongState)
    }

    @Test func `spans do not overlap when the wall clock is set back`() throws {
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

    @Test func `name and description change at any time, sensors only before the start`() throws {
        var session = try session()
        try session.update(SessionDraft(name: "Walk", sensors: ["location"]))
        try session.apply(.start, at: time(1))
        try session.update(
            SessionDraft(name: "Long walk", description: "Rain", sensors: ["location"]))
        #expect(session.name == "Long walk")
        #expect(session.description == "Rain")
        let other = try SessionDraft(name: "Walk", sensors: ["cpu"])
        #expect(throws: SessionsError.self) { try session.update(other) }
        try session.apply(.finish, at: time(2))
        #expect(throws: SessionsError.self) { try session.update(other) }
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
    func `the name, description and sensors of a draft are validated`(
        name: String, description: String, sensors: [SensorID], isValid: Bool
    ) {
        let draft = try? SessionDraft(name: name, description: description, sensors: sensors)
        #expect((draft != nil) == isValid)
        if let draft { #expect(draft.name.first != " " && draft.name.last != " ") }
    }

    @Test(arguments: ["", "A", "a b", "../x", "ä", String(repeating: "a", count: 65)])
    func `the identifier of a session is a short name`(id: String) throws {
        let draft = try SessionDraft(name: "Run", sensors: ["cpu"])
        #expect(throws: SessionsError.self) { try Session(id: id, draft, created: time(0)) }
    }

    @Test(
        arguments: [
            (Duration.zero, "0 min 0 secs"), (.seconds(59), "0 min 59 secs"),
            (.milliseconds(59_999), "0 min 59 secs"), (.seconds(60), "1 min 0 secs"),
            (.seconds(3599), "59 min 59 secs"), (.seconds(3600), "1 hrs 0 mins 0 secs"),
            (.seconds(3661), "1 hrs 1 mins 1 secs"), (.seconds(90_061), "25 hrs 1 mins 1 secs"),
            (.seconds(-5), "0 min 0 secs"),
        ])
    func `durations from an hour on include hours`(elapsed: Duration, text: String) {
        #expect(ElapsedText(elapsed).description == text)
    }
}
