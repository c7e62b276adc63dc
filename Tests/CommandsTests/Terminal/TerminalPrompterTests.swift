import Addresses
import Auth
import Foundation
import Samples
import Synchronization
import TestSupport
import Testing

@testable import Commands
@testable import Host

/// Prompts at a real terminal, whose program is in this process.
///
/// One after the other: each case holds descriptors of its own, and hundreds at once are more than
/// `Process` of Foundation can bear while it lists those that are open.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TerminalPrompterTests {
    private static let now = Timestamp(microseconds: 1_800_000_000_000_000)

    private static func question(
        _ access: Access = .raw, signer: String? = nil, isUpdate: Bool = false
    ) -> PermissionQuestion {
        PermissionQuestion(
            app: "demo", version: "1.2", title: "Demo",
            privilege: Privilege(.sensor("memory", access), reason: "Shows it"), number: 2,
            count: 3, signer: signer, isUpdate: isUpdate,
            fields: [Field("free", unit: "By"), Field("used", unit: "By")])
    }

    private static func prompter(
        _ terminal: TerminalPair,
        pause: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) -> TerminalPrompter {
        TerminalPrompter(gate: OutputGate(), path: terminal.path, pause: pause, now: { now })
    }

    /// The answer to a prompt for some input.
    private static func answer(
        _ typed: String, to question: PermissionQuestion = question(), at terminal: TerminalPair
    ) async throws -> TerminalPrompter.Answer {
        let prompter = prompter(terminal)
        async let answer = prompter.answer(question)
        try await terminal.await("?> ")
        terminal.type(typed)
        let given = await answer
        try await terminal.drain()
        return given
    }

    @Test(arguments: [
        ("o\n", Decision.allowOnce), ("once\n", .allowOnce), ("O \n", .allowOnce),
        ("a\n", .allowAlways), ("s\n", .statisticsOnly), ("n\n", .denyOnce), ("\n", .denyOnce),
        ("d\n", .denyOnce), ("deny\n", .denyOnce), ("v\n", .deny), ("never\n", .deny),
        ("Allow once\n", .allowOnce), ("always allow\n", .allowAlways),
        ("Statistics only\n", .statisticsOnly), ("deny this time\n", .denyOnce),
        ("Always deny\n", .deny),
        ("x\ny\no\n", .allowOnce), ("a\u{7F}n\n", .denyOnce), ("\u{1B}[A\no\n", .denyOnce),
    ])
    func `each letter is a decision, and Enter means no`(typed: String, decision: Decision)
        async throws
    {
        let terminal = try TerminalPair()
        #expect(try await Self.answer(typed, at: terminal) == .decided(decision))
        #expect(terminal.isCooked)
    }

    @Test(arguments: [
        ("\u{4}", TerminalPrompter.Answer.noAnswer), ("x\ny\nz\n", .invalid),
        ("1\nyes\nallow\n", .invalid), ("always\nalways\nalways\n", .invalid),
        ("\u{3}", .interrupted), ("e\n1\n\u{3}", .interrupted),
        ("e\n\u{4}", .noAnswer), ("?\n\u{3}", .interrupted), ("aaaa\u{3}", .interrupted),
    ])
    func `the end of input, invalid input and Ctrl-C allow nothing and restore the terminal`(
        typed: String, expected: TerminalPrompter.Answer
    ) async throws {
        let terminal = try TerminalPair()
        #expect(try await Self.answer(typed, at: terminal) == expected)
        #expect(terminal.isCooked)
    }

    @Test func `the prompt for statistics does not offer them as a reduced answer`() async throws {
        let terminal = try TerminalPair()
        let answer = try await Self.answer("s\na\n", to: Self.question(.stats), at: terminal)
        #expect(answer == .decided(.allowAlways))
        #expect(terminal.text.contains("Wants:   statistics of memory, never a sample"))
        #expect(!terminal.text.contains("Statistics only"))
    }

    @Test func `keys are accepted only after a pause`() async throws {
        let terminal = try TerminalPair()
        let pauses = Mutex<[Duration]>([])
        let (typed, typing) = AsyncStream.makeStream(of: Void.self)
        let (pausing, paused) = AsyncStream.makeStream(of: Void.self)
        let prompter = Self.prompter(terminal) { time in
            let count = pauses.withLock { pauses in
                pauses.append(time)
                return pauses.count
            }
            guard count <= 2 else { return }
            paused.yield()
            for await _ in typed { break }
        }
        async let answer = prompter.answer(Self.question())
        var waiting = pausing.makeAsyncIterator()
        for _ in 1...2 {
            _ = await waiting.next()
            terminal.type("a\n")
            try await until { terminal.typedAhead == 2 }
            typing.yield()
        }
        try await terminal.await("?> ")
        // Earlier input is neither echoed nor used.
        #expect(!terminal.text.contains("?> a"))
        #expect(!terminal.text.contains("\na\n"))
        terminal.type("v\n")
        #expect(await answer == .decided(.deny))
        #expect(pauses.withLock { $0 } == Array(repeating: TerminalPrompter.deadTime, count: 3))
    }

    @Test func `Ctrl-C ends the prompt before keys are accepted, too`() async throws {
        let terminal = try TerminalPair()
        let (typed, typing) = AsyncStream.makeStream(of: Void.self)
        let prompter = Self.prompter(terminal) { _ in for await _ in typed { break } }
        async let answer = prompter.answer(Self.question())
        try await terminal.await("Demo")
        terminal.type("a\u{3}a\n")
        try await until { terminal.typedAhead == 4 }
        typing.yield()
        #expect(await answer == .interrupted)
        #expect(terminal.isCooked)
    }

    @Test func `keys before the prompt and after its answer are ignored`()
        async throws
    {
        let terminal = try TerminalPair()
        terminal.type("a\na\n")
        try await until { terminal.typedAhead == 4 }
        #expect(try await Self.answer("n\na\na\n", at: terminal) == .decided(.denyOnce))
        #expect(try await Self.answer("v\n", at: terminal) == .decided(.deny))
    }

    @Test func `a disconnected terminal means no`() async throws {
        let terminal = try TerminalPair()
        let prompter = Self.prompter(terminal)
        async let answer = prompter.answer(Self.question())
        try await terminal.await("?> ")
        terminal.type("a")
        terminal.hangUp()
        #expect(await answer == .noAnswer)
    }

    @Test func `cancellation allows nothing and restores the terminal`() async throws {
        let terminal = try TerminalPair()
        let prompter = Self.prompter(terminal)
        await withTaskGroup(of: TerminalPrompter.Answer.self) { group in
            group.addTask { await prompter.answer(Self.question()) }
            try? await terminal.await("?> ")
            group.cancelAll()
            #expect(await group.next() == .noAnswer)
        }
        #expect(terminal.isCooked)
    }

    @Test func `without a terminal, or with one that is too small, there is no prompt`()
        async throws
    {
        let none = TerminalPrompter(gate: OutputGate(), path: "/dev/null", pause: { _ in })
        #expect(await none.answer(Self.question()) == .noAnswer)
        for (columns, rows) in [(39, 24), (80, 9), (1, 1)] {
            let terminal = try TerminalPair(columns: columns, rows: rows)
            #expect(await Self.prompter(terminal).answer(Self.question()) == .tooSmall)
            #expect(terminal.isCooked)
        }
    }

    @Test func `no other output is written during a prompt`() async throws {
        let terminal = try TerminalPair()
        let gate = OutputGate()
        let console = Console(
            isJSON: false, gate: gate, output: terminal.program, messages: terminal.program)
        let prompter = TerminalPrompter(gate: gate, path: terminal.path, pause: { _ in })
        async let answer = prompter.answer(Self.question())
        try await terminal.await("?> ")
        await withTaskGroup { group in
            for writer in 1...3 {
                group.addTask { for _ in 1...50 { console.print("o/a/s/e/n/v/?> \(writer)") } }
            }
        }
        terminal.type("x\nn\n")
        #expect(await answer == .decided(.denyOnce))
        console.print("end")
        try await terminal.await("end\r\n")
        let lines = terminal.text.split(separator: "\n").map(String.init)
        let last = lines.lastIndex { $0.hasPrefix("One letter, Enter") }
        let first = lines.firstIndex { $0.hasSuffix("?> 1") || $0.hasSuffix("?> 2") }
        #expect(try #require(last) < #require(first))
        #expect(lines.count { $0.hasPrefix("o/a/s/e/n/v/?> ") } == 151)
    }

    @Test(arguments: [
        ("e\n\n\n\n\n\ny\n", Terms(access: .raw)),
        (
            "e\n2\n0.5\n10m\n7d\nn\ny\n",
            Terms(
                access: .raw, maximumRate: 2, precision: 0.5, history: .seconds(600),
                expires: now.advanced(byMicroseconds: 604_800_000_000), background: false)
        ),
        ("e\n0\nfast\n3\n\n\n\n\nyes\n", Terms(access: .raw, maximumRate: 3)),
    ])
    func `the owner's own terms are asked one by one and confirmed`(
        typed: String, terms: Terms
    ) async throws {
        let terminal = try TerminalPair()
        #expect(try await Self.answer(typed, at: terminal) == .decided(.allow(terms)))
        #expect(terminal.text.contains("Round to steps of (bytes)> "))
        let access = terms.maximumRate == nil ? "every sample" : "samples, at most "
        #expect(terminal.text.contains("demo may use sensor:memory: \(access)"))
    }

    @Test(arguments: [
        "e\n\n\n\n\n\nn\nv\n", "e\n\n\n\n\n\n\nv\n", "e\n0\n0\n0\nv\n", "e\n1\n-1\n-1\n-1\nv\n",
    ])
    func `unconfirmed terms and three invalid answers allow nothing`(typed: String)
        async throws
    {
        let terminal = try TerminalPair()
        #expect(try await Self.answer(typed, at: terminal) == .decided(.deny))
        #expect(terminal.text.contains("Nothing was allowed."))
    }

    @Test
    func `a prompt shows the app, the request, what it reveals, the reason, and how to change it`()
        async throws
    {
        let terminal = try TerminalPair()
        _ = try await Self.answer("\n", at: terminal)
        for words in [
            "-- Nervous asks you (2 of 3) --", "App:     demo 1.2\n", "Signer:  none, unsigned",
            "Title:   \"Demo\"",
            "Wants:   every sample of memory", "Fields:  free (bytes), used (bytes)",
            "Reveals: when programs start and end", "Claims:  \"Shows it\"",
            "n  Deny this time (default: Enter)", "Change it later: nervous permissions demo",
        ] { #expect(terminal.text.contains(words), "\(words)") }
        #expect(!terminal.text.contains("new in this update"))
        let signed = Self.question(signer: "Ada", isUpdate: true)
        _ = try await Self.answer("\n", to: signed, at: terminal)
        #expect(terminal.text.contains("Signer:  Ada\n"))
        #expect(terminal.text.contains("every sample of memory  (new in this update)"))
    }

    @Test(arguments: [
        (
            Access.raw, 15,
            [
                "o Allow once            a Always allow", "s Statistics only       e With limits",
                "n Deny this time=Enter  v Always deny", "o/a/s/e/n/v/?>",
            ]
        ),
        (
            .stats, 12,
            [
                "o Allow once            a Always allow", "e With limits",
                "n Deny this time=Enter  v Always deny", "o/a/e/n/v/?>",
            ]
        ),
        (
            .write, 12,
            [
                "o Allow once            a Always allow", "n Deny this time=Enter  v Always deny",
                "o/a/n/v/?>",
            ]
        ),
        (.raw, 11, ["o once  a always  s stats  e limits", "n deny=Enter  v always deny  ?>"]),
    ])
    func `a small terminal shows every answer, in full from 12 rows on`(
        access: Access, rows: Int, last: [String]
    ) async throws {
        let terminal = try TerminalPair(columns: 40, rows: rows)
        let prompter = Self.prompter(terminal)
        async let answer = prompter.answer(Self.question(access))
        try await terminal.await("?> ")
        var screen = Screen(columns: 40, rows: rows, width: .wide)
        screen.show(terminal.bytes)
        #expect(screen.scrolled.isEmpty)
        let lines = screen.lines.filter { !$0.isEmpty }
        #expect(lines.suffix(last.count) == last[...])
        terminal.type("\n")
        #expect(await answer == .decided(.denyOnce))
    }

    @Test(arguments: [
        (Access.raw, Decision.allowOnce, "memory: allowed for this run"),
        (.raw, .allowAlways, "memory: always allowed"),
        (.raw, .statisticsOnly, "memory: only statistics allowed"),
        (.raw, .allow(Terms(access: .raw, maximumRate: 1)), "memory: allowed with limits"),
        (.raw, .denyOnce, "memory: denied for this run"), (.raw, .deny, "memory: always denied"),
        (.stats, .allowAlways, "memory: statistics always allowed"),
        (.write, .allowOnce, "memory: publishing allowed for this run"),
        (.write, .deny, "memory: publishing always denied"),
    ])
    func `an answer is confirmed in the words of the question`(
        access: Access, decision: Decision, line: String
    ) {
        #expect(Self.question(access).confirmation(of: decision, among: nil) == line)
    }

    @Test func `a confirmation names the chosen sensors, the server or the privilege`() throws {
        let question = Self.question()
        #expect(
            question.confirmation(of: .allowOnce, among: InstanceChoice(["memory.b", "memory.a"]))
                == "memory.a, memory.b: allowed for this run")
        let many = (1...4).map { SensorID("memory").instance("\($0)") }
        #expect(
            question.confirmation(of: .allowAlways, among: InstanceChoice(many))
                == "4 sensors of memory: always allowed")
        let terms = Terms(access: .raw, only: InstanceChoice(["memory.a"]))
        #expect(
            question.confirmation(of: .allow(terms), among: nil)
                == "memory.a: allowed with limits")
        let origin = try #require(WebOrigin("https://api.example.org"))
        for (privilege, name) in [
            (Privilege(.net(origin, pin: nil), reason: ""), "https://api.example.org"),
            (Privilege(.storage, reason: ""), "storage"),
        ] {
            let other = PermissionQuestion(
                app: "demo", version: "1", title: nil, privilege: privilege, number: 1, count: 1)
            #expect(other.confirmation(of: .deny, among: nil) == "\(name): always denied")
        }
    }

    @Test(arguments: [(80, 24), (40, 10)])
    func `the help explains the answers and returns to the prompt`(
        columns: Int, rows: Int
    ) async throws {
        let terminal = try TerminalPair(columns: columns, rows: rows)
        let prompter = Self.prompter(terminal)
        async let answer = prompter.answer(Self.question())
        try await terminal.await("> ")
        terminal.type("?\n")
        var pages = 1
        while true {
            try await terminal.await("Enter -- ")
            guard !terminal.text.hasSuffix("back to the question: Enter -- ") else { break }
            pages += 1
            terminal.type("\n")
        }
        #expect(pages == (rows == 24 ? 1 : 3))
        terminal.type("\n")
        try await terminal.await("> ")
        terminal.type("o\n")
        #expect(await answer == .decided(.allowOnce))
        try await terminal.drain()
        let words = terminal.text.replacing(/\s+/, with: " ")
        for part in [
            "demo would get every sample of memory: free (bytes), used (bytes).",
            "Deny this time: for this run. After 2 denials you are not asked again.",
            "nervous permissions reset demo", "nervous log demo",
        ] { #expect(words.contains(part), "\(part)") }
        #expect(terminal.text.components(separatedBy: "-- Nervous asks you").count == 3)
    }
}
