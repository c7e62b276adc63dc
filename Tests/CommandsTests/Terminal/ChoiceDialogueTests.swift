import Auth
import Foundation
import Samples
import Testing
import Text

@testable import Commands
@testable import Host

/// The choice of sensors of a kind, at a real terminal.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ChoiceDialogueTests {
    private static let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private static let indoors: SensorID = "temperature.indoors"
    private static let outdoors: SensorID = "temperature.outdoors"

    private static let instances = [
        SensorInstance(
            id: indoors, title: "Living room", source: "BLE thermometer",
            newest: now.advanced(byMicroseconds: -3_000_000)),
        SensorInstance(id: outdoors, title: "Out\u{1B}[2Jside", source: "MQTT", newest: nil),
        SensorInstance(
            id: "temperature.x", title: String(repeating: "ä", count: 90), source: "s",
            newest: now.advanced(byMicroseconds: -7_200_000_000)),
    ]

    private static func question(
        _ access: Access = .raw, instances: [SensorInstance] = instances, isNewSensor: Bool = false
    ) -> PermissionQuestion {
        PermissionQuestion(
            app: "demo", version: "1", title: nil,
            privilege: Privilege(.sensor("temperature", access), reason: "Shows it"), number: 1,
            count: 1, instances: instances, isNewSensor: isNewSensor)
    }

    private static func answer(
        _ typed: String, to question: PermissionQuestion = question(), at terminal: TerminalPair
    ) async throws -> TerminalPrompter.Answer {
        let prompter = TerminalPrompter(
            gate: OutputGate(), path: terminal.path, pause: { _ in }, now: { now })
        async let answer = prompter.answer(question)
        try await terminal.await("> ")
        terminal.type(typed)
        let given = await answer
        try await terminal.drain()
        return given
    }

    @Test(arguments: [
        ("o\n", Decision.allowOnce), ("a\n", .allowAlways), ("s\n", .statisticsOnly),
    ])
    func `an answer about a kind with one sensor is about that sensor`(
        typed: String, decision: Decision
    ) async throws {
        let question = Self.question(instances: [Self.instances[0]])
        let text = try #require(QuestionText(question, columns: 99, rows: 24))
        #expect(text.lines.contains { $0.contains("every sample of temperature.indoors") })
        let terminal = try TerminalPair()
        let answer = try await Self.answer(typed, to: question, at: terminal)
        #expect(answer == .decided(decision, among: InstanceChoice([Self.indoors])))
    }

    private static func some(_ chosen: [SensorID]) -> InstanceChoice {
        InstanceChoice(chosen, excluding: instances.map(\.id))
    }

    @Test(arguments: [
        ("o\n1\n", TerminalPrompter.Answer.decided(.allowOnce, among: some([indoors]))),
        ("a\n1 2\n", .decided(.allowAlways, among: some([indoors, outdoors]))),
        ("s\n2,1\n", .decided(.statisticsOnly, among: some([indoors, outdoors]))),
        ("a\nall\n", .decided(.allowAlways)),
        ("a\n4\n0\n2\n", .decided(.allowAlways, among: some([outdoors]))),
        ("a\n\n", .decided(.denyOnce)), ("a\nno\n", .decided(.denyOnce)),
        ("\n", .decided(.denyOnce)), ("v\n", .decided(.deny)),
        ("a\n4\nx\n1 y\n", .invalid), ("a\n\u{4}", .noAnswer), ("a\n1\u{3}", .interrupted),
        ("a\n-1\n+1\n1.5\n", .invalid), ("a\n99999999999999999999\n\n", .decided(.denyOnce)),
        (
            "e\n1\n2\n\n\n\n\ny\n",
            .decided(.allow(Terms(access: .raw, maximumRate: 2, only: some([indoors]))))
        ),
        ("e\nall\n2\n\n\n\n\ny\n", .decided(.allow(Terms(access: .raw, maximumRate: 2)))),
        ("e\n\n", .decided(.denyOnce)),
    ])
    func `numbers select sensors, all selects the kind, and an empty line denies`(
        typed: String, expected: TerminalPrompter.Answer
    ) async throws {
        let terminal = try TerminalPair()
        #expect(try await Self.answer(typed, at: terminal) == expected)
        #expect(terminal.isCooked)
    }

    @Test
    func `each sensor is shown with its identifier, its age, and its title in quotes, escaped`()
        async throws
    {
        let terminal = try TerminalPair()
        _ = try await Self.answer("a\n1\n", at: terminal)
        for words in [
            "every sample of temperature; of 3 here",
            "1. temperature.indoors, 3 s ago\n   \"Living room\" from \"BLE thermometer\"\n",
            "2. temperature.outdoors, no samples\n", "3. temperature.x, 2 h ago\n",
        ] { #expect(terminal.text.contains(words), "\(words)") }
        #expect(!terminal.text.contains("\u{1B}[2J"))
        let own = try await Self.answer("e\n2\n\n\n\n\n\ny\n", at: terminal)
        #expect(own != .noAnswer)
        #expect(
            terminal.text.replacing(/\s+/, with: " ").contains(
                "may use sensor:temperature: only temperature.outdoors, every sample"))
    }

    @Test func `a single sensor needs no choice`() async throws {
        for (instances, choice) in [
            ([], nil), ([Self.instances[0]], InstanceChoice([Self.indoors])),
        ] as [([SensorInstance], InstanceChoice?)] {
            let terminal = try TerminalPair()
            let question = Self.question(instances: instances)
            #expect(
                try await Self.answer("a\n", to: question, at: terminal)
                    == .decided(.allowAlways, among: choice))
            #expect(!terminal.text.contains("here"))
        }
    }

    @Test func `a sensor that was added later is marked as new`() async throws {
        let terminal = try TerminalPair()
        let question = Self.question(instances: [], isNewSensor: true)
        _ = try await Self.answer("\n", to: question, at: terminal)
        #expect(terminal.text.contains("of temperature  (new here since you chose)"))
    }

    @Test(arguments: [40, 41, 60, 72, 80, 132])
    func `the list fits every supported terminal`(columns: Int) throws {
        let long = "temperature." + String(repeating: "abcdef-", count: 7) + "x"
        let instances =
            Self.instances + [
                SensorInstance(
                    id: try #require(SensorID(long)), title: String(repeating: "字", count: 60),
                    source: String(repeating: "\u{202E}", count: 60), newest: Self.now)
            ]
        let dialogue = ChoiceDialogue(
            question: Self.question(instances: instances), now: Self.now)
        for line in dialogue.lines(columns: columns - 1) {
            #expect(CautiousText.columns(of: line) < columns, "\(line)")
            #expect(line.unicodeScalars.allSatisfy { !$0.isUnsafeToDisplay })
        }
    }
}
