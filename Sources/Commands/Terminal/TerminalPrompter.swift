import Auth
import Host
import Samples

/// Prompts for privileges at the controlling terminal.
///
/// Text of the package is escaped, no other output is written meanwhile, and keys that are typed
/// before the prompt was displayed for a moment are ignored. End of input and a disconnected terminal
/// count as no answer, which means no, and so do three invalid answers.
struct TerminalPrompter {
    /// The time without keys before input counts: earlier keys were not meant for the prompt.
    static let deadTime = Duration.milliseconds(500)
    private static let attempts = 3

    /// The outcome of a prompt.
    enum Answer: Hashable {
        /// With the chosen sensors; `nil` for all.
        case decided(Decision, among: InstanceChoice? = nil)
        /// No answer, or no terminal.
        case noAnswer
        /// Three answers that are not valid.
        case invalid
        /// The terminal is too small for the prompt.
        case tooSmall
        /// Ctrl-C, which ends the command.
        case interrupted
    }

    let gate: OutputGate
    var path = "/dev/tty"
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    var now: @Sendable () -> Timestamp = { .now() }

    /// Displays a prompt; other prompts wait until it is answered.
    func answer(_ question: PermissionQuestion) async -> Answer {
        await gate.hold()
        defer { gate.release() }
        guard let terminal = TerminalDevice(path: path) else { return .noAnswer }
        defer { terminal.close() }
        let size = terminal.size
        guard size.columns >= QuestionText.smallest.columns, size.rows >= QuestionText.smallest.rows
        else { return .tooSmall }
        guard
            let text = QuestionText(question, columns: size.columns - 1, rows: size.rows)
        else { return .noAnswer }
        var dialogue = Dialogue(terminal)
        dialogue.say(text.lines)
        var early: [UInt8]
        repeat {
            guard (try? await pause(Self.deadTime)) != nil else { return .noAnswer }
            early = terminal.pendingInput()
            guard !early.contains(where: LineEditor.interrupts) else { return .interrupted }
        } while !early.isEmpty
        terminal.listen()
        do throws(Dialogue.End) {
            let (decision, choice) = try await decision(on: question, text, &dialogue)
            return .decided(decision, among: choice)
        } catch {
            switch error {
            case .noAnswer: return .noAnswer
            case .invalid: return .invalid
            case .interrupted: return .interrupted
            }
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
            case "o", "once", "allowonce": return try await chosen(.allowOnce, question, &dialogue)
            case "a", "alwaysallow": return try await chosen(.allowAlways, question, &dialogue)
            case "s" where text.isRaw, "statistics" where text.isRaw,
                "statisticsonly" where text.isRaw:
                return try await chosen(.statisticsOnly, question, &dialogue)
            case "", "n", "no", "d", "deny", "denythistime": return (.denyOnce, nil)
            case "v", "never", "alwaysdeny": return (.deny, nil)
            case "e" where text.takesTerms, "limits" where text.takesTerms,
                "withlimits" where text.takesTerms:
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
        dialogue.say(["No valid answer: nothing was allowed."])
        throw .invalid
    }

    /// An allowing decision for the chosen sensors, if there are several, or for the only one of the
    /// kind; choosing none means no.
    private func chosen(
        _ decision: Decision, _ question: PermissionQuestion, _ dialogue: inout Dialogue
    ) async throws(Dialogue.End) -> Decided {
        guard !question.instances.isEmpty else {
            return (decision, question.onlyInstance.map { InstanceChoice([$0]) })
        }
        switch try await ChoiceDialogue(question: question, now: now()).choice(&dialogue) {
        case .all: return (decision, nil)
        case .some(let choice): return (decision, choice)
        case .none: return (.denyOnce, nil)
        }
    }
}
