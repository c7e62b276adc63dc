import Samples
import Text

extension Value {
    /// A number, a truth value as `true` or `false`, or a text; `nil` for anything else.
    init?(json: JSONValue) {
        switch json.content {
        case .number(let number): self = number.int64.map { .integer($0) } ?? .number(number.double)
        case .bool(let flag): self = .text(flag ? "true" : "false")
        case .string(let text): self = .text(text)
        case .null, .array, .object: return nil
        }
    }

    /// A text without the white space and the quotes around it; `nil` when nothing is left.
    init?(text: Substring) {
        var text = text
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        if text.count >= 2, text.first == "\"", text.last == "\"" {
            text = text.dropFirst().dropLast()
        }
        guard !text.isEmpty else { return nil }
        self = .text(String(text))
    }
}
