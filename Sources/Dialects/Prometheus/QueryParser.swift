/// Parses the part of Prometheus' query language that is understood; the rest is refused by its name.
///
/// ```swift
/// let query = try QueryParser.parse(#"avg_over_time(sensor_cpu_busy_percent{sensor="cpu"}[5m]) / 100"#)
/// ```
public struct QueryParser {
    private static let longest = 10_000
    private static let deepest = 50
    /// Aggregations of Prometheus that are not understood.
    private static let otherAggregations: Set<String> = [
        "topk", "bottomk", "quantile", "stddev", "stdvar", "group", "count_values",
    ]

    private let tokens: [QueryToken]
    private var place = 0
    private var depth = 0

    private init(_ query: String) throws(PrometheusError) {
        tokens = try QueryLexer.tokens(query)
    }

    /// - Throws: `PrometheusError` with the code `badData`.
    public static func parse(_ query: String) throws(PrometheusError) -> QueryExpression {
        guard query.utf8.count <= longest else {
            throw .badData("A query has at most \(longest) bytes.")
        }
        var parser = try QueryParser(query)
        let expression = try parser.expression(0)
        guard parser.kind == .end else { throw parser.unexpected("the end of the query") }
        return expression
    }

    /// Parses a selector such as `sensor_cpu_busy_percent{sensor="cpu"}`, as `match[]` has it.
    ///
    /// - Throws: `PrometheusError` with the code `badData`.
    public static func matchers(_ selector: String) throws(PrometheusError) -> [LabelMatcher] {
        guard case .newest(let selector) = try parse(selector), selector.offset == 0 else {
            throw .badData("\(selector.prefix(80).debugDescription) is not a selector.")
        }
        return selector.matchers
    }

    private var kind: QueryToken.Kind { tokens[place].kind }

    private mutating func take(_ symbol: String) -> Bool {
        guard kind == .symbol(symbol) else { return false }
        place += 1
        return true
    }

    private mutating func expect(_ symbol: String) throws(PrometheusError) {
        guard take(symbol) else { throw unexpected(symbol) }
    }

    private func unexpected(_ expected: String) -> PrometheusError {
        .badData("At position \(tokens[place].place) of the query, \(expected) is expected.")
    }

    // MARK: - Operators

    private mutating func expression(_ strength: Int) throws(PrometheusError) -> QueryExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw .badData("The query is nested too deeply.") }
        var left = try signed()
        while let op = try binaryOperator(), op.strength > strength {
            place += 1
            let isBool = kind == .name("bool")
            if isBool { place += 1 }
            if case .name(let name) = kind, ["on", "ignoring"].contains(name) {
                throw .badData(
                    "\(name) is not supported: one side of an operator must be a number.")
            }
            // ^ binds to the right.
            let right = try expression(op == .power ? op.strength - 1 : op.strength)
            left = try binary(op, left, right, isBool: isBool)
        }
        return left
    }

    private func binaryOperator() throws(PrometheusError) -> BinaryOperator? {
        switch kind {
        case .symbol(let symbol): return BinaryOperator(rawValue: symbol)
        case .name(let name) where ["and", "or", "unless", "atan2"].contains(name):
            throw .badData("The operator \(name) is not supported.")
        default: return nil
        }
    }

    private func binary(
        _ op: BinaryOperator, _ left: QueryExpression, _ right: QueryExpression, isBool: Bool
    ) throws(PrometheusError) -> QueryExpression {
        guard left.isScalar || right.isScalar else {
            throw .badData(
                "\(op.rawValue) between two vectors is not supported: one side must be a number.")
        }
        guard op.isComparison else {
            guard !isBool else { throw .badData("bool is only for comparisons.") }
            return .binary(op, left, right, isBool: false)
        }
        guard isBool || !left.isScalar || !right.isScalar else {
            throw .badData("Comparisons between two numbers need bool.")
        }
        return .binary(op, left, right, isBool: isBool)
    }

    private mutating func signed() throws(PrometheusError) -> QueryExpression {
        if take("+") { return try expression(BinaryOperator.multiply.strength) }
        // A power is stronger than a sign.
        if take("-") { return .negated(try expression(BinaryOperator.multiply.strength)) }
        return try operand()
    }

    // MARK: - Operands

    private mutating func operand() throws(PrometheusError) -> QueryExpression {
        switch kind {
        case .number(let number):
            place += 1
            return .number(number)
        case .symbol("("):
            place += 1
            let inner = try expression(0)
            try expect(")")
            if kind == .symbol("[") { throw Self.subquery }
            return inner
        case .symbol("{"): return try newest(try selector(named: nil))
        case .name(let name):
            place += 1
            if let aggregation = Aggregation(rawValue: name), isAggregation {
                return try self.aggregation(aggregation)
            }
            if kind == .symbol("(") { return try function(name) }
            if Self.otherAggregations.contains(name), isAggregation { throw Self.unknown(name) }
            return try newest(try selector(named: name))
        case .text: throw .badData("A text is not supported as a query.")
        case .duration: throw .badData("A duration is not supported as a number.")
        default: throw unexpected("a number, a selector or a function")
        }
    }

    private var isAggregation: Bool {
        kind == .symbol("(") || kind == .name("by") || kind == .name("without")
    }

    private func newest(_ selector: SeriesSelector) throws(PrometheusError) -> QueryExpression {
        guard kind != .symbol("[") else {
            throw .badData(
                "A range such as [5m] is only supported in the functions \(RangeFunction.allNames)."
            )
        }
        return .newest(selector)
    }

    private static let subquery = PrometheusError.badData("Subqueries are not supported.")

    private static func unknown(_ name: String) -> PrometheusError {
        .badData(
            "The function \(name.prefix(60)) is not supported; the functions are"
                + " \(RangeFunction.allNames), and the aggregations \(Aggregation.allNames).")
    }

    private mutating func selector(named name: String?) throws(PrometheusError) -> SeriesSelector {
        var matchers: [LabelMatcher] = []
        if let name { matchers.append(try LabelMatcher(MetricSeries.nameLabel, .equal, name)) }
        if take("{") {
            while kind != .symbol("}") {
                matchers.append(try matcher())
                guard take(",") else { break }
            }
            try expect("}")
        }
        // As in Prometheus: a selector of everything is usually a mistake.
        guard matchers.contains(where: { !$0.matches("") }) else {
            throw .badData("A selector needs a condition that an empty label does not meet.")
        }
        return SeriesSelector(matchers: matchers, offset: try offset())
    }

    private mutating func matcher() throws(PrometheusError) -> LabelMatcher {
        guard case .name(let label) = kind else { throw unexpected("the name of a label") }
        place += 1
        guard case .symbol(let symbol) = kind, let op = LabelMatcher.Operator(rawValue: symbol)
        else { throw unexpected("=, !=, =~ or !~") }
        place += 1
        guard case .text(let text) = kind else { throw unexpected("a text in quotation marks") }
        place += 1
        return try LabelMatcher(label, op, text)
    }

    /// An offset, which may also follow a range.
    private mutating func offset() throws(PrometheusError) -> Int64 {
        if kind == .symbol("@") { throw .badData("The modifier @ is not supported.") }
        guard kind == .name("offset") else { return 0 }
        place += 1
        let isNegative = take("-")
        guard case .duration(let duration) = kind else { throw unexpected("a duration such as 5m") }
        place += 1
        if kind == .symbol("@") { throw .badData("The modifier @ is not supported.") }
        return isNegative ? -duration : duration
    }

    // MARK: - Functions

    private mutating func function(_ name: String) throws(PrometheusError) -> QueryExpression {
        try expect("(")
        let function: RangeFunction
        if name == RangeFunction.quantileName {
            let parameter = try expression(0)
            guard parameter.isScalar, let quantile = parameter.constant else {
                throw .badData("The first argument of \(name) must be a number.")
            }
            guard (0...1).contains(quantile) else {
                throw .badData("The quantile of \(name) must be from 0 to 1.")
            }
            function = .quantile(quantile)
            try expect(",")
        } else if let known = RangeFunction.names[name] {
            function = known
        } else {
            throw Self.unknown(name)
        }
        var name: String?
        if case .name(let metric) = kind {
            name = metric
            place += 1
            if kind == .symbol("(") { throw Self.subquery }
        } else if kind != .symbol("{") {
            throw unexpected("a selector")
        }
        let selector = try selector(named: name)
        try expect("[")
        guard case .duration(let window) = kind, window > 0 else {
            throw unexpected("a duration such as 5m")
        }
        place += 1
        if case .symbol(":") = kind { throw Self.subquery }
        if case .name(let rest) = kind, rest.hasPrefix(":") { throw Self.subquery }
        try expect("]")
        let late = try offset()
        try expect(")")
        return .overTime(
            function,
            SeriesSelector(matchers: selector.matchers, offset: selector.offset + late),
            window: window)
    }

    private mutating func aggregation(
        _ aggregation: Aggregation
    ) throws(PrometheusError) -> QueryExpression {
        var grouping = try self.grouping()
        try expect("(")
        let operand = try expression(0)
        guard !operand.isScalar else {
            throw .badData("\(aggregation.rawValue) needs a vector, not a number.")
        }
        try expect(")")
        if grouping == nil { grouping = try self.grouping() }
        return .aggregation(aggregation, operand, grouping: grouping ?? .by([]))
    }

    private mutating func grouping() throws(PrometheusError) -> Grouping? {
        guard case .name(let word) = kind, word == "by" || word == "without" else { return nil }
        place += 1
        try expect("(")
        var labels: [String] = []
        while case .name(let label) = kind {
            place += 1
            labels.append(label)
            guard take(",") else { break }
        }
        try expect(")")
        return word == "by" ? .by(labels) : .without(labels)
    }
}

extension QueryExpression {
    /// The value of an expression of numbers; `nil` for any other.
    var constant: Double? {
        switch self {
        case .number(let number): number
        case .negated(let operand): operand.constant.map { -$0 }
        case .binary(let op, let left, let right, let isBool):
            left.constant.flatMap { left in
                right.constant.flatMap { op.value(left, $0, isBool: isBool) }
            }
        case .newest, .overTime, .aggregation: nil
        }
    }
}
