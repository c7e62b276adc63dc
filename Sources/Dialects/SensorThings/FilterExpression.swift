public import Samples
public import Text

/// The expression of `$filter`: comparisons of properties with literals, joined by `and`, `or` and `not`.
///
/// A comparison with a missing or null property is false, except `eq null` and `ne`. Properties named
/// `phenomenonTime` and `resultTime` are compared as times, others with the type of the literal.
///
/// ```swift
/// let filter = try FilterExpression("result gt 20 and phenomenonTime ge 2026-03-01T00:00:00Z")
/// filter.holds { path in entity[path] }
/// ```
public indirect enum FilterExpression: Hashable, Sendable {
    /// The operators of comparisons.
    public enum Comparison: String, Hashable, Sendable, CaseIterable {
        case eq, ne, gt, ge, lt, le

        /// The operator with the sides exchanged.
        fileprivate var mirrored: Comparison {
            switch self {
            case .eq, .ne: self
            case .gt: .lt
            case .ge: .le
            case .lt: .gt
            case .le: .ge
            }
        }
    }

    /// Functions of a property and a text.
    public enum TextFunction: String, Hashable, Sendable, CaseIterable {
        case startswith, endswith, substringof
    }

    /// A constant.
    public enum Literal: Hashable, Sendable {
        case null
        case flag(Bool)
        case number(Double)
        case text(String)
        case time(Timestamp)
    }

    /// A property, by its path from the entity: `["Datastream", "name"]`.
    public typealias Path = [String]

    case compare(Path, Comparison, Literal)
    case function(TextFunction, Path, String)
    case and(FilterExpression, FilterExpression)
    case or(FilterExpression, FilterExpression)
    case not(FilterExpression)

    /// Parses an expression.
    public init(_ text: String) throws(SensorThingsFault) {
        var parser = try FilterParser(text)
        self = try parser.expression(depth: 0)
        try parser.end()
    }

    /// Whether an entity meets it.
    ///
    /// - Parameter value: the value of a property; `nil` if the entity has none of this name.
    public func holds(_ value: (Path) -> JSONValue?) -> Bool {
        switch self {
        case .compare(let path, let comparison, let literal):
            Self.compare(value(path), comparison, literal)
        case .function(let function, let path, let text):
            (value(path)?.string).map { Self.apply(function, $0, text) } ?? false
        case .and(let left, let right): left.holds(value) && right.holds(value)
        case .or(let left, let right): left.holds(value) || right.holds(value)
        case .not(let inner): !inner.holds(value)
        }
    }

    /// The properties that it uses.
    public var paths: [Path] {
        switch self {
        case .compare(let path, _, _), .function(_, let path, _): [path]
        case .and(let left, let right), .or(let left, let right): left.paths + right.paths
        case .not(let inner): inner.paths
        }
    }

    /// A range outside of which no time meets it: the intersection of those comparisons of the phenomenon time that
    /// must all hold.
    public var timeRange: TimeRange {
        switch self {
        case .compare(let path, let comparison, .time(let time))
        where path == ["phenomenonTime"] || path == ["resultTime"]:
            let next = time.advanced(byMicroseconds: 1)
            return switch comparison {
            case .eq: TimeRange(from: time, to: next)
            case .gt: TimeRange(from: next, to: .distantFuture)
            case .ge: TimeRange(from: time, to: .distantFuture)
            case .lt: TimeRange(from: .distantPast, to: time)
            case .le: TimeRange(from: .distantPast, to: next)
            case .ne: .all
            }
        case .and(let left, let right): return left.timeRange.intersection(right.timeRange)
        case .compare, .function, .or, .not: return .all
        }
    }

    private static func compare(
        _ value: JSONValue?, _ comparison: Comparison, _ literal: Literal
    ) -> Bool {
        guard let value, !value.isNull else {
            return literal == .null ? comparison == .eq : comparison == .ne
        }
        switch literal {
        case .null: return comparison == .ne
        case .flag(let flag): return value.bool.map { holds($0 == flag, comparison) } ?? false
        case .number(let number):
            return (value.number?.double).map { holds($0, comparison, number) } ?? false
        case .text(let text): return value.string.map { holds($0, comparison, text) } ?? false
        case .time(let time):
            let given = value.string.flatMap { Timestamp(rfc3339: $0) }
            return given.map { holds($0, comparison, time) } ?? false
        }
    }

    private static func holds(_ isEqual: Bool, _ comparison: Comparison) -> Bool {
        comparison == .eq ? isEqual : comparison == .ne && !isEqual
    }

    private static func holds<T: Comparable>(
        _ left: T, _ comparison: Comparison, _ right: T
    ) -> Bool {
        switch comparison {
        case .eq: left == right
        case .ne: left != right
        case .gt: left > right
        case .ge: left >= right
        case .lt: left < right
        case .le: left <= right
        }
    }

    private static func apply(_ function: TextFunction, _ value: String, _ text: String) -> Bool {
        switch function {
        case .startswith: value.hasPrefix(text)
        case .endswith: value.hasSuffix(text)
        case .substringof: value.contains(text)
        }
    }
}

/// A recursive-descent parser; `not` binds more tightly than `and`, and `and` than `or`.
private struct FilterParser {
    private static let deepest = 32
    private static let longest = 4096

    private enum Token: Hashable {
        case word(String)
        case literal(FilterExpression.Literal)
        case open, close, comma
    }

    private enum Operand {
        case path(FilterExpression.Path)
        case literal(FilterExpression.Literal)
    }

    private var tokens: ArraySlice<Token>

    init(_ text: String) throws(SensorThingsFault) {
        guard text.utf8.count <= Self.longest else {
            throw Self.fault("it has more than \(Self.longest) bytes")
        }
        tokens = try Self.tokens(of: text)[...]
    }

    mutating func end() throws(SensorThingsFault) {
        guard tokens.isEmpty else { throw Self.fault("unexpected \(Self.shown(tokens.first))") }
    }

    mutating func expression(depth: Int) throws(SensorThingsFault) -> FilterExpression {
        var left = try conjunction(depth: depth)
        while take(.word("or")) { left = .or(left, try conjunction(depth: depth)) }
        return left
    }

    private mutating func conjunction(depth: Int) throws(SensorThingsFault) -> FilterExpression {
        var left = try term(depth: depth)
        while take(.word("and")) { left = .and(left, try term(depth: depth)) }
        return left
    }

    private mutating func term(depth: Int) throws(SensorThingsFault) -> FilterExpression {
        guard depth < Self.deepest else {
            throw Self.fault("it is nested more than \(Self.deepest) deep")
        }
        if take(.word("not")) { return .not(try term(depth: depth + 1)) }
        if take(.open) {
            let inner = try expression(depth: depth + 1)
            guard take(.close) else { throw Self.fault("a parenthesis is not closed") }
            return inner
        }
        if case .word(let name)? = tokens.first, tokens.dropFirst().first == .open {
            return try function(name)
        }
        let left = try operand()
        guard case .word(let name)? = tokens.popFirst(),
            let comparison = FilterExpression.Comparison(rawValue: name)
        else {
            throw Self.fault("a property must be followed by eq, ne, gt, ge, lt or le")
        }
        switch (left, try operand()) {
        case (.path(let path), .literal(let literal)):
            return try Self.comparison(path, comparison, literal)
        case (.literal(let literal), .path(let path)):
            return try Self.comparison(path, comparison.mirrored, literal)
        default: throw Self.fault("a comparison is between a property and a constant")
        }
    }

    private mutating func function(_ name: String) throws(SensorThingsFault) -> FilterExpression {
        guard let function = FilterExpression.TextFunction(rawValue: name) else {
            let known = FilterExpression.TextFunction.allCases.map(\.rawValue)
            throw Self.fault(
                "the function \(name.prefix(40)) is not supported, only "
                    + known.joined(separator: ", "))
        }
        tokens = tokens.dropFirst(2)
        let first = try operand()
        guard take(.comma) else { throw Self.fault("\(name) has two arguments") }
        let second = try operand()
        guard take(.close) else { throw Self.fault("a parenthesis is not closed") }
        // Of substringof, the text is the first argument.
        let (property, text) = function == .substringof ? (second, first) : (first, second)
        guard case .path(let path) = property, case .literal(.text(let text)) = text else {
            throw Self.fault(
                function == .substringof
                    ? "the arguments of substringof are a text and a property"
                    : "the arguments of \(name) are a property and a text")
        }
        return .function(function, path, text)
    }

    private mutating func operand() throws(SensorThingsFault) -> Operand {
        switch tokens.popFirst() {
        case .literal(let literal): return .literal(literal)
        case .word(let word):
            switch word {
            case "true": return .literal(.flag(true))
            case "false": return .literal(.flag(false))
            case "null": return .literal(.null)
            default: return .path(word.split(separator: "/").map(String.init))
            }
        case let other:
            throw Self.fault(
                "a property or a constant is missing before \(Self.shown(other))")
        }
    }

    private mutating func take(_ token: Token) -> Bool {
        guard tokens.first == token else { return false }
        tokens.removeFirst()
        return true
    }

    /// Times may also be texts.
    private static func comparison(
        _ path: FilterExpression.Path, _ comparison: FilterExpression.Comparison,
        _ literal: FilterExpression.Literal
    ) throws(SensorThingsFault) -> FilterExpression {
        guard path.last == "phenomenonTime" || path.last == "resultTime", literal != .null else {
            return .compare(path, comparison, literal)
        }
        if case .time = literal { return .compare(path, comparison, literal) }
        guard case .text(let text) = literal, let time = Timestamp(rfc3339: text) else {
            throw fault("\(path.joined(separator: "/")) must be compared with a time")
        }
        return .compare(path, comparison, .time(time))
    }

    private static func fault(_ message: String) -> SensorThingsFault {
        SensorThingsFault("$filter", message)
    }

    private static func shown(_ token: Token?) -> String {
        switch token {
        case nil: "the end"
        case .word(let word): word.prefix(40).debugDescription
        case .literal: "a constant"
        case .open: "("
        case .close: ")"
        case .comma: ","
        }
    }

    private static func tokens(of text: String) throws(SensorThingsFault) -> [Token] {
        var tokens: [Token] = []
        var rest = text[...]
        while let first = rest.first {
            switch first {
            case " ", "\t", "\n", "\r": rest.removeFirst()
            case "(":
                tokens.append(.open)
                rest.removeFirst()
            case ")":
                tokens.append(.close)
                rest.removeFirst()
            case ",":
                tokens.append(.comma)
                rest.removeFirst()
            case "'": tokens.append(.literal(.text(try quoted(&rest))))
            default:
                let word = String(rest.prefix { !" \t\n\r(),'".contains($0) })
                rest = rest.dropFirst(word.count)
                tokens.append(try token(word))
            }
        }
        return tokens
    }

    /// A text in single quotes, in which a quote is doubled.
    private static func quoted(_ rest: inout Substring) throws(SensorThingsFault) -> String {
        rest.removeFirst()
        var text = ""
        while let next = rest.popFirst() {
            guard next == "'" else {
                text.append(next)
                continue
            }
            guard rest.first == "'" else { return text }
            text.append("'")
            rest.removeFirst()
        }
        throw fault("a text is not closed")
    }

    private static func token(_ word: String) throws(SensorThingsFault) -> Token {
        guard let first = word.utf8.first else { return .word(word) }
        let isNumeric = first &- 0x30 <= 9 || first == UInt8(ascii: "-")
        guard isNumeric else { return .word(word) }
        if let number = JSONNumber(literal: word) { return .literal(.number(number.double)) }
        if let time = Timestamp(rfc3339: word) { return .literal(.time(time)) }
        throw fault("\(word.prefix(40).debugDescription) is neither a number nor a time")
    }
}
