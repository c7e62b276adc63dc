import Auth
import Host
import Samples

/// Puts privileges to the person at the terminal that the process was started at.
///
/// Nothing of the package reaches the terminal unescaped, nothing else writes there meanwhile, and
/// what is typed before the question has stood there for a moment allows nothing. End of input, a
/// terminal that went away and three answers that are none: nobody answered, and that is no.
struct TerminalPrompter {
    /// How long no key may come before one counts: who types on does not mean this question.
    static let deadTime = Duration.milliseconds(500)
    private static let attempts = 3

    /// How a question ends.
    enum Answer: Hashable {
        /// With the instances that it is for; `nil` for all.
        case decided(Decision, among: InstanceChoice? = nil)
        /// Also where there is no terminal.
        case nobody
        /// The terminal is too small to show who asks what.
        case tooSmall
        /// The person wants the whole command to end.
        case interrupted
    }

    let gate: OutputGate
    var path = "/dev/tty"
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    var now: @Sendable () -> Timestamp = { .now() }

    /// Puts a question; others wait until it is answered.
    func answer(_ question: PermissionQuestion) async -> Answer {
        await gate.hold()
        defer { gate.release() }
        guard let terminal = TerminalDevice(path: path) else { return .nobody }
        defer { terminal.close() }
        let size = terminal.size
        guard size.columns >= QuestionText.smallest.columns, size.rows >= QuestionText.smallest.rows
        else { return .tooSmall }
        guard
            let text = QuestionText(question, columns: size.columns - 1, rows: size.rows)
        else { return .nobody }
        var dialogue = Dialogue(terminal)
        dialogue.say(text.lines)
        var early: [UInt8]
        repeat {
            guard (try? await pause(Self.deadTime)) != nil else { return .nobody }
            early = terminal.typedBefore()
            guard !early.contains(where: LineEditor.interrupts) else { return .interrupted }
        } while !early.isEmpty
        terminal.listen()
        do throws(Dialogue.End) {
            let (decision, choice) = try await decision(on: question, text, &dialogue)
            return .decided(decision, among: choice)
        } catch {
            return error == .interrupted ? .interrupted : .nobody
        }
    }

    private typealias Decided = (Decision, InstanceChoice?)

    private func decision(
        on question: PermissionQuestion, _ text: QuestionText, _ dialogue: inout Dialogue
    ) async throws(Dialogue.End) -> Decided {
        let access = question.privilege.id.access ?? .raw
        var failures = 0
        var prompt = text.prompt
        while failures < Self.attempts {
            let answer = try await dialogue.ask(prompt)
            prompt = text.prompt
            switch answer.lowercased().filter({ !$0.isWhitespace }) {
            case "o", "once": return try await chosen(.allowOnce, question, &dialogue)
            case "a", "always": return try await chosen(.allowAlways, question, &dialogue)
            case "s" where text.isRaw, "statistics" where text.isRaw:
                return try await chosen(.statisticsOnly, question, &dialogue)
            case "", "n", "no", "d", "deny": return (.denyOnce, nil)
            case "v", "never": return (.deny, nil)
            case "e" where text.takesTerms, "edit" where text.takesTerms:
                let start = Decision.allow(Terms(access: access))
                let (given, choice) = try await chosen(start, question, &dialogue)
                guard given == start else { return (given, nil) }
                let terms = TermsDialogue(
                    question: question, access: access, choice: choice,
                    input: TermsInput(now: now()))
                if let terms = try await terms.terms(&dialogue) { return (.allow(terms), nil) }
                dialogue.say(["Nothing was allowed."] + text.lines)
            case "?", "explain", "help":
                try await dialogue.page(text.explanation(columns: dialogue.columns))
                _ = try await dialogue.ask("-- back to the question: Enter -- ")
                dialogue.say(text.lines)
            default:
                failures += 1
                prompt = "One letter, Enter: \(text.letters)> "
            }
        }
        dialogue.say(["No answer counts as no."])
        throw .nobody
    }

    /// A decision that gives, for the sensors that the person chooses where there are several; who
    /// chooses none says no.
    private func chosen(
        _ decision: Decision, _ question: PermissionQuestion, _ dialogue: inout Dialogue
    ) async throws(Dialogue.End) -> Decided {
        guard !question.instances.isEmpty else { return (decision, nil) }
        switch try await ChoiceDialogue(question: question, now: now()).choice(&dialogue) {
        case .all: return (decision, nil)
        case .some(let choice): return (decision, choice)
        case .none: return (.denyOnce, nil)
        }
    }
}
