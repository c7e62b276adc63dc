import API
import Auth
import Provider
import Samples

/// Asks for the terms of a grant, one after the other; whoever says nothing sets no limit.
struct TermsDialogue {
    private static let attempts = 3

    let question: PermissionQuestion
    let access: Access
    /// The instances that they are for; `nil` for all.
    var choice: InstanceChoice?
    let input: TermsInput

    /// - Returns: `nil` when the person gave up, and is to be asked again what they want.
    func terms(_ dialogue: inout Dialogue) async throws(Dialogue.End) -> Terms? {
        dialogue.say(["Your terms; Enter alone sets no limit."])
        var terms = Terms(access: access, only: choice)
        guard
            let rate = try await limit("Samples a second> ", &dialogue, input.rate),
            let precision = try await limit(
                "Round to steps of\(unit)> ", &dialogue, input.precision),
            let history = try await limit("How far back, like 10m> ", &dialogue, input.history),
            let expires = try await limit(
                "Ends, like 7d or 2027-01-31> ", &dialogue, input.expires),
            let background = try await limit(
                "Also when nobody watches, y/n> ", &dialogue, input.background)
        else { return nil }
        terms.maximumRate = rate
        terms.precision = precision
        terms.history = history
        terms.expires = expires
        terms.background = background
        return try await isConfirmed(terms, &dialogue) ? terms : nil
    }

    /// The unit, where all numbers of the sensor have the same.
    private var unit: String {
        let units = Set(question.fields.filter { $0.kind.isNumeric }.map(\.unit))
        guard units.count == 1, let unit = units.first ?? nil, unit != "1" else { return "" }
        return " (" + CautiousText.line(of: unit, width: 8) + ")"
    }

    private func isConfirmed(
        _ terms: Terms, _ dialogue: inout Dialogue
    ) async throws(Dialogue.End) -> Bool {
        let words = TermsDescription(terms).words
        let name = CautiousText.line(of: question.app, width: 64)
        let text = "Then \(name) may use \(question.privilege.id): \(words)."
        dialogue.say(CautiousText.wrapped(text, width: dialogue.columns, indent: "  "))
        let answer = try await dialogue.ask("Allow that until you change it? y/n> ")
        return ["y", "yes"].contains(answer.lowercased())
    }

    /// - Returns: `nil` after too many answers that were none.
    private func limit<T>(
        _ prompt: String, _ dialogue: inout Dialogue,
        _ read: (String) throws(TermsInput.Fault) -> T
    ) async throws(Dialogue.End) -> T? {
        for _ in 0..<Self.attempts {
            let answer = try await dialogue.ask(prompt)
            do throws(TermsInput.Fault) {
                return try read(answer)
            } catch {
                dialogue.say(CautiousText.wrapped(error.message, width: dialogue.columns))
            }
        }
        return nil
    }
}
