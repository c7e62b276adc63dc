import Ingest
import Text

/// A token of an expression of a template.
enum TemplateToken: Hashable, Sendable {
    case name(String)
    case integer(Int64)
    case float(Double)
    case text(String)
    case symbol(String)
}

/// Splits the expressions of a template into tokens.
enum TemplateLexer {
    private static let symbols = [
        "==", "!=", "<=", ">=", "//", "**", "<", ">", "+", "-", "*", "/", "%", "~", "|", ".", ",",
        ":", "(", ")", "[", "]", "{", "}", "=",
    ]

    /// - Throws: ``PayloadError`` for characters that no expression has.
    static func tokens(of text: Substring) throws(PayloadError) -> [TemplateToken] {
        var tokens: [TemplateToken] = []
        var rest = text
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
            } else if first == "_" || first.isLetter {
                let name = rest.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
                tokens.append(.name(String(name)))
                rest = rest[name.endIndex...]
            } else if first.isASCII, first.isNumber {
                tokens.append(try number(&rest, isMember: tokens.last == .symbol(".")))
            } else if first == "'" || first == "\"" {
                tokens.append(.text(try literal(&rest, quote: first)))
            } else if let symbol = symbols.first(where: { rest.hasPrefix($0) }) {
                tokens.append(.symbol(symbol))
                rest = rest.dropFirst(symbol.count)
            } else {
                throw PayloadError(
                    "it has an unexpected ‘\(String(first).escapedForDisplay(limit: 12))’")
            }
        }
        return tokens
    }

    /// - Parameter isMember: whether the digits follow a dot, as in `value_json.0.x`.
    private static func number(
        _ rest: inout Substring, isMember: Bool
    ) throws(PayloadError) -> TemplateToken {
        func digits() -> Substring {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest[digits.endIndex...]
            return digits
        }
        var literal = digits()
        var isWhole = true
        if !isMember {
            if rest.first == ".", let next = rest.dropFirst().first, next.isASCII, next.isNumber {
                rest.removeFirst()
                literal += "." + digits()
                isWhole = false
            }
            if let match = rest.prefixMatch(of: /[eE][+-]?[0-9]+/) {
                literal += match.0
                rest = rest[match.range.upperBound...]
                isWhole = false
            }
        }
        if isWhole, let integer = Int64(literal) { return .integer(integer) }
        guard !isMember, let number = Double(decimal: literal, allowsExponent: true) else {
            throw PayloadError("it has a number that is too large")
        }
        return .float(number)
    }

    private static func literal(
        _ rest: inout Substring, quote: Character
    ) throws(PayloadError) -> String {
        rest.removeFirst()
        var text = ""
        while let next = rest.popFirst() {
            if next == quote { return text }
            guard next == "\\" else {
                text.append(next)
                continue
            }
            switch rest.popFirst() {
            case let escaped? where "'\"\\".contains(escaped): text.append(escaped)
            case "n": text.append("\n")
            case "t": text.append("\t")
            default: throw PayloadError("it has an escape other than \\n, \\t, \\\\, \\' and \\\"")
            }
        }
        throw PayloadError("it has a text without a closing quote")
    }
}
