public import Samples

/// The labels of a series, among them `__name__`.
public typealias Labels = [String: String]

/// A numeric field of a sensor, as a series of Prometheus.
public struct MetricSeries: Hashable, Sendable {
    /// The label that is the name of the metric.
    public static let nameLabel = "__name__"

    /// The sensor.
    public let sensor: SensorID
    /// The field.
    public let field: Field
    /// The name of the metric.
    public let name: MetricName

    /// The series of a field.
    public init(_ field: Field, of sensor: SensorID) {
        self.sensor = sensor
        self.field = field
        name = MetricName(of: field, sensor.kind)
    }

    /// The labels other than the name.
    public var ownLabels: [(name: String, value: String)] {
        [("sensor", sensor.description), ("field", field.name)]
    }

    /// All labels.
    public var labels: Labels {
        [Self.nameLabel: name.sample, "sensor": sensor.description, "field": field.name]
    }
}

/// A condition on a label, such as `sensor=~"network.*"`.
public struct LabelMatcher: Hashable, Sendable {
    /// The operators.
    enum Operator: String, Hashable, Sendable {
        case equal = "="
        case unequal = "!="
        case matches = "=~"
        case doesNotMatch = "!~"
    }

    let label: String
    private let op: Operator
    private let text: String
    private let pattern: LinearPattern?

    /// - Throws: `PrometheusError` for a regular expression that is not valid or not understood.
    init(_ label: String, _ op: Operator, _ text: String) throws(PrometheusError) {
        (self.label, self.op, self.text) = (label, op, text)
        pattern = op == .matches || op == .doesNotMatch ? try LinearPattern(text) : nil
    }

    /// A missing label has the empty text.
    func matches(_ value: String) -> Bool {
        switch op {
        case .equal: value == text
        case .unequal: value != text
        case .matches: pattern?.matches(value) == true
        case .doesNotMatch: pattern?.matches(value) == false
        }
    }
}

extension [LabelMatcher] {
    /// Whether labels meet all conditions.
    public func match(_ labels: Labels) -> Bool {
        allSatisfy { $0.matches(labels[$0.label] ?? "") }
    }
}
