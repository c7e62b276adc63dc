/// A query in the part of Prometheus' query language that is understood.
public indirect enum QueryExpression: Hashable, Sendable {
    /// A number.
    case number(Double)
    /// The newest values of the series that match.
    case newest(SeriesSelector)
    /// A function of the samples in a window before each time.
    case overTime(RangeFunction, SeriesSelector, window: Int64)
    /// A sign.
    case negated(QueryExpression)
    /// An operation with at least one number.
    ///
    /// `isBool` makes a comparison return 0 or 1 instead of omitting values.
    case binary(BinaryOperator, QueryExpression, QueryExpression, isBool: Bool)
    /// An aggregation over series.
    case aggregation(Aggregation, QueryExpression, grouping: Grouping)

    /// Whether it is a number at each time, without labels.
    var isScalar: Bool {
        switch self {
        case .number: true
        case .negated(let operand): operand.isScalar
        case .binary(_, let left, let right, _): left.isScalar && right.isScalar
        case .newest, .overTime, .aggregation: false
        }
    }
}

/// The series that a query names.
public struct SeriesSelector: Hashable, Sendable {
    /// Conditions on labels, including the name.
    public let matchers: [LabelMatcher]
    /// How much earlier than asked the values are, in microseconds.
    public let offset: Int64
}

/// The functions of a window.
public enum RangeFunction: Hashable, Sendable {
    case average, minimum, maximum, sum, count, standardDeviation, variance, last, present
    /// 0 to 1, within 1 % of the value.
    case quantile(Double)
    /// The growth of a counter, per second or over the window; resets are added.
    case rate, increase
    /// The difference of the ends of the window, for other values.
    case delta

    static let names: [String: RangeFunction] = [
        "avg_over_time": .average, "min_over_time": .minimum, "max_over_time": .maximum,
        "sum_over_time": .sum, "count_over_time": .count, "stddev_over_time": .standardDeviation,
        "stdvar_over_time": .variance, "last_over_time": .last, "present_over_time": .present,
        "rate": .rate, "increase": .increase, "delta": .delta,
    ]
    static let quantileName = "quantile_over_time"
    static var allNames: String { (names.keys + [quantileName]).sorted().joined(separator: ", ") }
}

/// The operators between numbers and vectors.
public enum BinaryOperator: String, Hashable, Sendable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case power = "^"
    case equal = "=="
    case unequal = "!="
    case greater = ">"
    case less = "<"
    case greaterOrEqual = ">="
    case lessOrEqual = "<="

    var isComparison: Bool {
        switch self {
        case .equal, .unequal, .greater, .less, .greaterOrEqual, .lessOrEqual: true
        case .add, .subtract, .multiply, .divide, .remainder, .power: false
        }
    }

    /// Stronger operators have higher numbers.
    var strength: Int {
        switch self {
        case .equal, .unequal, .greater, .less, .greaterOrEqual, .lessOrEqual: 1
        case .add, .subtract: 2
        case .multiply, .divide, .remainder: 3
        case .power: 4
        }
    }
}

/// The aggregations over series.
public enum Aggregation: String, Hashable, Sendable, CaseIterable {
    case sum
    case average = "avg"
    case minimum = "min"
    case maximum = "max"
    case count

    static var allNames: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// The labels by which an aggregation groups series.
public enum Grouping: Hashable, Sendable {
    case by([String])
    case without([String])
}
