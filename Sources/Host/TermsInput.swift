import API
import Auth
import Foundation
import Provider
import Samples

/// Terms as a person types them, in a flag or as an answer.
///
/// An empty text, `no` and `none` stand for no limit.
struct TermsInput {
    /// One sentence about what was typed, and an example of what would do.
    struct Fault: Error, Hashable {
        let message: String
    }

    let now: Timestamp

    /// Samples a second.
    func rate(_ text: String) throws(Fault) -> Double? {
        try number(text, "The rate is a number of samples a second above zero, such as 1 or 0.1.")
    }

    /// A step in the unit of the field.
    func precision(_ text: String) throws(Fault) -> Double? {
        try number(text, "The precision is a step above zero in the field's unit, such as 0.5.")
    }

    /// How far back.
    func history(_ text: String) throws(Fault) -> Duration? {
        guard let text = Self.given(text) else { return nil }
        guard let span = Duration(span: text), span > .zero else {
            throw Fault(message: "The history is a span such as 10m, 2h or 7d.")
        }
        return span
    }

    /// A span from now, a day, which then counts whole, or a moment.
    func expires(_ text: String) throws(Fault) -> Timestamp? {
        guard let text = Self.given(text) else { return nil }
        guard let end = end(text) else {
            throw Fault(
                message: "The end is a span such as 8h or 7d, a day such as 2027-01-31,"
                    + " or a time such as 2027-01-31T18:00:00Z.")
        }
        guard end > now else { throw Fault(message: "That end is in the past.") }
        return end
    }

    /// Whether it holds while nobody watches; yes where nothing is said.
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
        if let span = Duration(span: text) {
            return now.advanced(byMicroseconds: span.wholeMicroseconds)
        }
        if let moment = Timestamp(rfc3339: text) { return moment }
        let day = Date.ISO8601FormatStyle(timeZone: .current).year().month().day()
        guard text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil,
            let date = try? day.parse(text), day.format(date) == text,
            let next = Calendar(identifier: .gregorian).date(byAdding: .day, value: 1, to: date)
        else { return nil }
        return Timestamp(milliseconds: next.timeIntervalSince1970 * 1000)
    }

    private static func given(_ text: String) -> String? {
        let word = text.trimmingCharacters(in: .whitespaces)
        return ["", "no", "none"].contains(word.lowercased()) ? nil : word
    }
}
