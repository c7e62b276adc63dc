public import Samples

/// The times at which a query is evaluated.
public struct EvaluationTimes: Hashable, Sendable {
    /// The maximum number of times.
    public static let limit = 10_000

    /// The first time.
    public let first: Timestamp
    /// Microseconds between two times, at least 1.
    public let step: Int64
    /// The number of times, at least 1.
    public let count: Int

    /// One time.
    public init(at time: Timestamp) {
        (first, step, count) = (time, 1, 1)
    }

    /// The times from `start`, `step` microseconds apart, that are not after `end`.
    ///
    /// - Throws: `PrometheusError` for an end before the start, and for too many times.
    public init(from start: Timestamp, to end: Timestamp, every step: Int64) throws(PrometheusError)
    {
        guard step > 0 else { throw .badData("step must be a duration greater than zero.") }
        guard end >= start else { throw .badData("end must not be before start.") }
        let (width, overflow) = end.microseconds.subtractingReportingOverflow(start.microseconds)
        guard !overflow, width / step < Self.limit else {
            throw .badData(
                "The range has more than \(Self.limit) steps. Use a longer step or a shorter range."
            )
        }
        (first, self.step, count) = (start, step, Int(width / step) + 1)
    }

    /// The same times, earlier by some microseconds.
    func earlier(by offset: Int64) -> EvaluationTimes {
        EvaluationTimes(first.advanced(byMicroseconds: -offset), step, count)
    }

    private init(_ first: Timestamp, _ step: Int64, _ count: Int) {
        (self.first, self.step, self.count) = (first, step, count)
    }

    /// One of the times.
    public func time(_ index: Int) -> Timestamp {
        first.advanced(byMicroseconds: step * Int64(index))
    }
}

/// Where the evaluation of a query gets its numbers.
public protocol SeriesSource: Sendable {
    /// The series whose labels meet all conditions.
    func series(matching matchers: [LabelMatcher]) async throws -> [MetricSeries]

    /// A function of the samples in the window that ends at each time, for each series; `nil` for none.
    ///
    /// A window contains its end and not its start.
    ///
    /// - Parameters:
    ///   - function: any but `rate`, `increase` and `delta`.
    ///   - window: microseconds; `nil` for as long as a newest value counts as present.
    func values(
        of function: RangeFunction, _ series: [MetricSeries], window: Int64?,
        at times: EvaluationTimes
    ) async throws -> [[Double?]]

    /// The samples of each series in a range, in the order of time.
    func samples(of series: [MetricSeries], in range: TimeRange) async throws -> [SeriesSamples]
}

/// The samples of a series.
public struct SeriesSamples: Hashable, Sendable {
    /// The times in ascending order.
    public let times: [Timestamp]
    /// A value for each time.
    public let values: [Double]

    /// - Parameter values: one for each time.
    public init(times: [Timestamp], values: [Double]) {
        (self.times, self.values) = (times, values)
    }
}

/// The result of a query.
public enum QueryResult: Sendable {
    /// A number for each time.
    case scalar([Double])
    /// For each set of labels a value for each time, or none.
    case vector([ResultSeries])
}

/// The values of one set of labels.
public struct ResultSeries: Hashable, Sendable {
    /// The labels; without a name if the values are not those of the metric.
    public var labels: Labels
    /// One for each time.
    public var values: [Double?]
}

/// Evaluates queries.
///
/// ```swift
/// let result = try await QueryEvaluation(of: source, at: times).result(of: query)
/// ```
public struct QueryEvaluation<Source: SeriesSource>: Sendable {
    /// The maximum number of values of a vector.
    public static var limit: Int { 1_000_000 }

    private let source: Source
    private let times: EvaluationTimes

    /// Prepares the evaluation of queries at some times.
    public init(of source: Source, at times: EvaluationTimes) {
        (self.source, self.times) = (source, times)
    }

    /// - Throws: `PrometheusError`, and what the source throws.
    public func result(of query: QueryExpression) async throws -> QueryResult {
        switch query {
        case .number(let number):
            return .scalar(Array(repeating: number, count: times.count))
        case .newest(let selector):
            return .vector(try await overTime(.last, selector, window: nil))
        case .overTime(let function, let selector, let window):
            return .vector(try await overTime(function, selector, window: window))
        case .negated(let operand):
            switch try await result(of: operand) {
            case .scalar(let numbers): return .scalar(numbers.map { -$0 })
            case .vector(let vector): return .vector(vector.unnamed { $0.map { $0.map { -$0 } } })
            }
        case .binary(let op, let left, let right, let isBool):
            return try apply(
                op, try await result(of: left), try await result(of: right), isBool: isBool)
        case .aggregation(let aggregation, let operand, let grouping):
            guard case .vector(let vector) = try await result(of: operand) else {
                throw PrometheusError.badData("\(aggregation.rawValue) needs a vector.")
            }
            return .vector(aggregated(vector, aggregation, grouping))
        }
    }

    // MARK: - Selectors and functions

    private func overTime(
        _ function: RangeFunction, _ selector: SeriesSelector, window: Int64?
    ) async throws -> [ResultSeries] {
        let series = try await source.series(matching: selector.matchers)
        guard series.count <= Self.limit / times.count else {
            throw PrometheusError(
                .execution,
                "\(series.count) series match at \(times.count) times: more than \(Self.limit) values."
                    + " Select fewer series, or use a longer step.")
        }
        let times = times.earlier(by: selector.offset)
        let values: [[Double?]]
        switch function {
        case .rate, .increase, .delta:
            guard let window else { return [] }
            let range = TimeRange(
                from: times.first.advanced(byMicroseconds: 1 - window),
                to: times.time(times.count - 1).advanced(byMicroseconds: 1))
            values = try await source.samples(of: series, in: range).map { samples in
                RateComputation(samples, function).values(window: window, at: times)
            }
        default:
            values = try await source.values(of: function, series, window: window, at: times)
        }
        return zip(series, values).compactMap { series, values in
            guard values.contains(where: { $0 != nil }) else { return nil }
            var labels = series.labels
            if function != .last { labels[MetricSeries.nameLabel] = nil }
            return ResultSeries(labels: labels, values: values)
        }
    }

    // MARK: - Operators

    private func apply(
        _ op: BinaryOperator, _ left: QueryResult, _ right: QueryResult, isBool: Bool
    ) throws -> QueryResult {
        switch (left, right) {
        case (.scalar(let left), .scalar(let right)):
            return .scalar(zip(left, right).map { op.value($0, $1, isBool: true) ?? .nan })
        case (.vector(let vector), .scalar(let numbers)):
            return .vector(
                filtered(vector, op, isBool: isBool) { op.value($0, numbers[$1], isBool: isBool) })
        case (.scalar(let numbers), .vector(let vector)):
            return .vector(
                filtered(vector, op, isBool: isBool) { value, index in
                    let result = op.value(numbers[index], value, isBool: isBool)
                    // A comparison keeps the value of the vector, on whichever side it is.
                    return op.isComparison && !isBool ? result.map { _ in value } : result
                })
        case (.vector, .vector):
            throw PrometheusError.badData("\(op.rawValue) between two vectors is not supported.")
        }
    }

    private func filtered(
        _ vector: [ResultSeries], _ op: BinaryOperator, isBool: Bool,
        _ value: (Double, Int) -> Double?
    ) -> [ResultSeries] {
        let keepsName = op.isComparison && !isBool
        return vector.compactMap { series in
            var series = series
            if !keepsName { series.labels[MetricSeries.nameLabel] = nil }
            series.values = series.values.enumerated().map { index, number in
                number.flatMap { value($0, index) }
            }
            return series.values.contains { $0 != nil } ? series : nil
        }
    }

    private func aggregated(
        _ vector: [ResultSeries], _ aggregation: Aggregation, _ grouping: Grouping
    ) -> [ResultSeries] {
        var groups: [Labels: [ResultSeries]] = [:]
        for series in vector { groups[grouping.labels(series.labels), default: []].append(series) }
        return groups.map { labels, members in
            let values = (0..<times.count).map { index in
                aggregation.value(members.compactMap { $0.values[index] })
            }
            return ResultSeries(labels: labels, values: values)
        }
        .sorted { $0.labels.ordered.lexicographicallyPrecedes($1.labels.ordered) }
    }
}

extension Labels {
    /// Names and values in the order of the names.
    fileprivate var ordered: [String] { sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] } }
}

extension [ResultSeries] {
    fileprivate func unnamed(_ change: ([Double?]) -> [Double?]) -> [ResultSeries] {
        map { series in
            var labels = series.labels
            labels[MetricSeries.nameLabel] = nil
            return ResultSeries(labels: labels, values: change(series.values))
        }
    }
}

extension Grouping {
    fileprivate func labels(_ labels: Labels) -> Labels {
        switch self {
        case .by(let names): labels.filter { names.contains($0.key) }
        case .without(let names):
            labels.filter { !names.contains($0.key) && $0.key != MetricSeries.nameLabel }
        }
    }
}

extension Aggregation {
    /// - Returns: `nil` for no values.
    fileprivate func value(_ values: [Double]) -> Double? {
        guard let first = values.first else { return nil }
        switch self {
        case .sum: return values.reduce(0, +)
        case .average: return values.reduce(0, +) / Double(values.count)
        case .minimum: return values.reduce(first) { $1 < $0 || $0.isNaN ? $1 : $0 }
        case .maximum: return values.reduce(first) { $1 > $0 || $0.isNaN ? $1 : $0 }
        case .count: return Double(values.count)
        }
    }
}

extension BinaryOperator {
    /// - Parameter isBool: whether a comparison returns 0 or 1.
    /// - Returns: `nil` for a comparison that does not hold, and the left value for one that holds.
    func value(_ left: Double, _ right: Double, isBool: Bool) -> Double? {
        let holds: Bool
        switch self {
        case .add: return left + right
        case .subtract: return left - right
        case .multiply: return left * right
        case .divide: return left / right
        case .remainder: return left.truncatingRemainder(dividingBy: right)
        case .power: return Power.of(left, right)
        case .equal: holds = left == right
        case .unequal: holds = left != right
        case .greater: holds = left > right
        case .less: holds = left < right
        case .greaterOrEqual: holds = left >= right
        case .lessOrEqual: holds = left <= right
        }
        return isBool ? (holds ? 1 : 0) : (holds ? left : nil)
    }
}
