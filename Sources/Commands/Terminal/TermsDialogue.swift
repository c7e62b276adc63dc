import API
import Auth
import Foundation
import Host
import Samples

/// Asks for the terms of a grant one by one; an empty line sets no limit.
struct TermsDialogue {
    private static let attempts = 3

    let question: PermissionQuestion
    let access: Access
    /// The chosen sensors; `nil` for all.
    var choice: InstanceChoice?
    let input: TermsInput

    /// - Returns: `nil` if no terms were confirmed, and the prompt is to be repeated.
    func terms(_ dialogue: inout Dialogue) async throws(Dialogue.End) -> Terms? {
        dialogue.say(["Your limits; Enter for none."])
        var terms = Terms(access: access, only: choice)
        guard
            let rate = try await limit("Samples per second> ", &dialogue, input.rate),
            let precision = try await limit(
                "Round to steps of\(unit)> ", &dialogue, input.precision),
            let history = try await limit("How far back, like 10m> ", &dialogue, input.history),
            let expires = try await limit(
                "Ends, like 7d or 2027-01-31> ", &dialogue, input.expires),
            let background = try await limit(
                "Also in the background, y/n> ", &dialogue, input.background)
        else { return nil }
        terms.maximumRate = rate
        terms.precision = precision
        terms.history = history
        terms.expires = expires
        terms.background = background
        return try await isConfirmed(terms, &dialogue) ? terms : nil
    }

    /// The unit, if all numeric fields have the same.
    private var unit: String {
        let units = Set(question.fields.filter { $0.kind.isNumeric }.map(\.unit))
        guard units.count == 1, let unit = Format.unitWord(units.first ?? nil) else { return "" }
        return " (" + CautiousText.line(of: unit, width: 17) + ")"
    }

    private func isConfirmed(
        _ terms: Terms, _ dialogue: inout Dialogue
    ) async throws(Dialogue.End) -> Bool {
        let text = terms.wireDescription.words()
        let name = CautiousText.line(of: question.app, width: 64)
        let summary = "\(name) may use \(question.privilege.id): \(text)."
        dialogue.say(CautiousText.wrapped(summary, width: dialogue.columns, indent: "  "))
        let answer = try await dialogue.ask("Allow this until you change it? y/n> ")
        return ["y", "yes"].contains(answer.lowercased())
    }

    /// - Returns: `nil` after too many invalid answers.
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

/// Parses terms from options and answers.
///
/// Empty text, `no` and `none` mean no limit.
struct TermsInput {
    /// A message with an example of valid input.
    struct Fault: Error, Hashable {
        let message: String
    }

    let now: Timestamp

    /// Samples per second.
    func rate(_ text: String) throws(Fault) -> Double? {
        try number(
            text, "The rate must be a positive number of samples per second, such as 1 or 0.1.")
    }

    /// A step in the unit of the field.
    func precision(_ text: String) throws(Fault) -> Double? {
        try number(text, "The precision must be a positive step in the field's unit, such as 0.5.")
    }

    /// How far back samples may be read.
    func history(_ text: String) throws(Fault) -> Duration? {
        guard let text = Self.given(text) else { return nil }
        guard let span = Duration(span: text), span > .zero else {
            throw Fault(message: "The history must be a duration such as 10m, 2h or 7d.")
        }
        return span
    }

    /// A duration from now, a day (until its end), or a time.
    func expires(_ text: String) throws(Fault) -> Timestamp? {
        guard let text = Self.given(text) else { return nil }
        guard let end = end(text) else {
            throw Fault(
                message: "The end must be a duration such as 8h or 7d, a day such as 2027-01-31,"
                    + " or a time such as 2027-01-31T18:00:00Z.")
        }
        guard end > now else { throw Fault(message: "The end is in the past.") }
        return end
    }

    /// Whether the grant holds in the background; yes by default.
    func background(_ text: String) throws(Fault) -> Bool {
        switch text.trimmingCharacters(in: .whitespaces).lowercased() {
        case "", "y", "yes": return true
        case "n", "no": return false
        default: throw Fault(message: "Answer y for yes or n for no.")
        }
    }

    private func number(_ text: String, _ message: String) throws(Fault) -> Double? {
        guard let text = Self.given(text) else { return nil }
        let digits = /[0-9]{1,12}(\.[0-9]{1,12})?|\.[0-9]{1,12}/
        guard text.wholeMatch(of: digits) != nil, let number = Double(text), number > 0 else {
            throw Fault(message: message)
        }
        return number
    }

    private func end(_ text: String) -> Timestamp? {
        let input = TimeInput(now: now)
        return input.after(text) ?? Timestamp(rfc3339: text) ?? input.time(text, isEnd: true)
    }

    private static func given(_ text: String) -> String? {
        let word = text.trimmingCharacters(in: .whitespaces)
        return ["", "no", "none"].contains(word.lowercased()) ? nil : word
    }
}
