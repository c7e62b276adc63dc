import Auth
import Synchronization

/// Answers from a script and remembers what it was asked; beyond the script nobody answers.
final class ScriptedPrompter: Prompter {
    private struct State {
        var answers: [Decision?]
        var questions: [PermissionQuestion] = []
    }

    private let state: Mutex<State>
    private let gate: AsyncStream<Void>?
    private let onQuestion: @Sendable () -> Void

    /// - Parameters:
    ///   - gate: what has to end before an answer is given.
    ///   - onQuestion: called when a question stands.
    init(
        _ answers: [Decision?] = [], gate: AsyncStream<Void>? = nil,
        onQuestion: @escaping @Sendable () -> Void = {}
    ) {
        state = Mutex(State(answers: answers))
        self.gate = gate
        self.onQuestion = onQuestion
    }

    var questions: [PermissionQuestion] { state.withLock { $0.questions } }

    func decide(_ question: PermissionQuestion) async -> Decision? {
        let answer = state.withLock { state -> Decision? in
            state.questions.append(question)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        onQuestion()
        if let gate { for await _ in gate {} }
        return answer
    }
}
