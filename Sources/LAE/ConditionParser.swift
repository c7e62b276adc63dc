import Samples

/// Parses conditions.
///
/// ```
/// condition  = and { "or" and }
/// and        = not { "and" not }
/// not        = "not" not | "(" condition ")" | comparison
/// comparison = field ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) operand
/// ```
///
/// The words `and`, `or` and `not` are case-insensitive, and fields may have these names. An operand
/// is text in quotes, or ends before `and`, `or`, a parenthesis or the end. The depth is bounded, so
/// that neither parsing nor evaluation can exhaust the stack.
struct ConditionParser {
    /// The maximum number of bytes of a condition.
    static let byteLimit = 4_096
    /// The maximum number of comparisons of a condition.
    static let comparisonLimit = 100
    /// The maximum depth of parentheses and `not`.
    static let depthLimit = 16

    private static let operators = FieldComparison.Operator.allCases
    private static let hint =
        "Write a field, one of = != < <= > >= and a value, such as busy>50; join conditions with and,"
        + " or, not and parentheses"

    private let text: Substring
    private let isQualified: Bool
    private var rest: Substring
    private var comparisonCount = 0

    /// - Parameter isQualified: whether a sensor and a dot may precede a field.
    init(_ text: String, isQualified: Bool) {
        self.text = text[...]
        self.isQualified = isQualified
        rest = text[...]
    }

    /// The whole text as a condition.
    mutating func condition() throws(LAEError) -> Condition {
        guard text.utf8.count <= Self.byteLimit else {
            throw LAEError(
                .invalidCondition, "Invalid condition: longer than \(Self.byteLimit) bytes.")
        }
        let condition = try disjunction(depth: 0)
        guard rest.isEmpty else { throw fault("expected and, or, or the end") }
        return condition
    }

    // MARK: - Private

    private mutating func disjunction(depth: Int) throws(LAEError) -> Condition {
        var parts = [try conjunction(depth)]
        while takeWord("or") { parts.append(try conjunction(depth)) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction(_ depth: Int) throws(LAEError) -> Condition {
        var parts = [try negation(depth)]
        while takeWord("and") { parts.append(try negation(depth)) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func negation(_ depth: Int) throws(LAEError) -> Condition {
        skipSpace()
        guard depth <= Self.depthLimit else {
            throw fault("more than \(Self.depthLimit) levels of parentheses and not")
        }
        if rest.first == "(" {
            rest.removeFirst()
            let condition = try disjunction(depth: depth + 1)
            skipSpace()
            guard rest.first == ")" else {
                throw fault("expected and, or, or a closing parenthesis")
            }
            rest.removeFirst()
            skipSpace()
            return condition
        }
        // A field may be named "not".
        let start = rest
        if takeWord("not") {
            skipSpace()
            if Self.operators.allSatisfy({ !rest.hasPrefix($0.rawValue) }) {
                return .not(try negation(depth + 1))
            }
            rest = start
        }
        return .comparison(try comparison())
    }

    private mutating func comparison() throws(LAEError) -> FieldComparison {
        comparisonCount += 1
        guard comparisonCount <= Self.comparisonLimit else {
            throw fault("more than \(Self.comparisonLimit) comparisons")
        }
        let (sensor, field) = try name()
        skipSpace()
        guard let found = Self.operators.first(where: { rest.hasPrefix($0.rawValue) }) else {
            throw fault("expected one of = != < <= > >=")
        }
        rest = rest.dropFirst(found.rawValue.count)
        skipSpace()
        return FieldComparison(
            sensor: sensor, field: field, comparison: found, operand: try operand())
    }

    private mutating func name() throws(LAEError) -> (sensor: SensorID?, field: String) {
        let start = rest
        let name = rest.prefix { character in
            Self.isOfName(character) || isQualified && (character == "." || character == "-")
        }
        rest = rest.dropFirst(name.count)
        let dot = name.lastIndex(of: ".")
        let field = dot.map { name[$0...].dropFirst() } ?? name
        let sensor = dot.map { SensorID(String(name[..<$0])) }
        guard !field.isEmpty, field.allSatisfy(Self.isOfName), sensor != .some(nil) else {
            rest = start
            throw fault(
                isQualified
                    ? "expected a field, or a sensor, a dot and a field" : "expected a field")
        }
        return (sensor ?? nil, String(field))
    }

    private mutating func operand() throws(LAEError) -> String {
        guard let first = rest.first else { throw fault("expected a value") }
        if first == "\"" || first == "'" { return try quoted(first) }
        let start = rest
        var end = rest.startIndex
        while let next = rest.first, next != "(", next != ")" {
            if next.isWhitespace {
                let space = rest
                let endsHere = takeWord("and") || takeWord("or")
                rest = space
                if endsHere { break }
                rest.removeFirst()
            } else {
                rest.removeFirst()
                end = rest.startIndex
            }
        }
        guard rest.first != "(" else { throw fault("a value with parentheses needs quotes") }
        guard end > start.startIndex else { throw fault("expected a value") }
        skipSpace()
        return String(start[..<end])
    }

    /// A text in quotes, in which a backslash precedes a quote or a backslash.
    private mutating func quoted(_ quote: Character) throws(LAEError) -> String {
        let start = rest
        rest.removeFirst()
        var value = ""
        while let next = rest.popFirst() {
            if next == quote {
                if let after = rest.first, !after.isWhitespace, after != ")" {
                    throw fault("expected and, or, or the end after a quoted value")
                }
                skipSpace()
                return value
            }
            guard next == "\\" else {
                value.append(next)
                continue
            }
            guard let escaped = rest.popFirst(), escaped == quote || escaped == "\\" else {
                rest = start
                throw fault("a backslash in quotes precedes a quote or a backslash in the value")
            }
            value.append(escaped)
        }
        rest = start
        throw fault("expected a closing quote for the one")
    }

    /// Reads a keyword that other characters of a name do not continue.
    private mutating func takeWord(_ word: String) -> Bool {
        let start = rest
        skipSpace()
        let found = rest.prefix(while: Self.isOfName)
        guard found.count == word.count, found.lowercased() == word else {
            rest = start
            return false
        }
        rest = rest.dropFirst(found.count)
        return true
    }

    private mutating func skipSpace() { rest = rest.drop(while: \.isWhitespace) }

    private static func isOfName(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }

    private func fault(_ message: String) -> LAEError {
        // Scalars, because a single character can be of any length.
        let near = String(String.UnicodeScalarView(rest.unicodeScalars.prefix(20)))
        return LAEError(
            .invalidCondition,
            "Invalid condition: \(message), at"
                + (rest.isEmpty
                    ? " the end."
                    : " character \(text[..<rest.startIndex].count + 1): \(near.debugDescription)."),
            hint: Self.hint)
    }
}
