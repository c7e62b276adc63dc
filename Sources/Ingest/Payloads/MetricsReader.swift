public import Samples
import Text

/// Reads metrics in the JSON of OTLP: the body of `POST /v1/metrics`.
///
/// Gauges and cumulative sums have a value for each data point; the total of a monotonic sum is stored as it
/// is. Cumulative histograms and summaries are reduced to their count, sum, minimum and maximum. Deltas are
/// rejected, because a total cannot be recovered from them when one was lost.
///
/// Source: OpenTelemetry Protocol 1.x, "JSON Protobuf Encoding"; opentelemetry/proto/metrics/v1.
public enum MetricsReader {
    private static let cumulative = 2
    private static let noRecordedValue: Int64 = 1
    /// The maximum nesting: resources, scopes, metrics, data points and attributes with lists.
    private static let depth = 24

    /// Parses a body.
    ///
    /// - Throws: `malformed` for a body that is not JSON of OTLP, `tooLarge` for too many bytes or data points.
    public static func content(_ bytes: [UInt8]) throws(PushFault) -> MetricsContent {
        let body = try JSONValue(pushed: bytes, depth: depth)
        guard body.object != nil else {
            throw PushFault(.malformed, "The body is not an ExportMetricsServiceRequest.")
        }
        var content = MetricsContent()
        for resource in try list(body, "resourceMetrics") {
            let shared = attributes(of: resource.member("resource"))
            for scope in try list(resource, "scopeMetrics") {
                for metric in try list(scope, "metrics") {
                    try read(metric, resource: shared, into: &content)
                    guard content.count <= PushLimits.lines else {
                        throw PushFault(
                            .tooLarge, "A body has at most \(PushLimits.lines) data points.")
                    }
                }
            }
        }
        return content
    }

    private static func read(
        _ metric: JSONValue, resource: [MetricPoint.Attribute], into content: inout MetricsContent
    ) throws(PushFault) {
        let name = metric.member("name")?.text(atMost: PushLimits.name) ?? ""
        let unit = metric.member("unit")?.text(atMost: PushLimits.name) ?? ""
        let kinds = ["gauge", "sum", "histogram", "exponentialHistogram", "summary"]
        guard let kind = kinds.first(where: { metric.member($0) != nil }),
            let data = metric.member(kind)
        else { return }
        let points = try list(data, "dataPoints")
        guard !name.isEmpty else {
            content.reject(points.count, of: name, .noName)
            return
        }
        let isTotal = kind != "gauge" && kind != "summary"
        if isTotal, temporality(data) != cumulative {
            content.reject(points.count, of: name, .delta)
            return
        }
        let isCounter = kind == "sum" && data.member("isMonotonic")?.bool == true
        for point in points {
            if let flags = integer(point.member("flags")), flags & noRecordedValue != 0 {
                content.unrecorded += 1
                continue
            }
            guard let values = values(of: point, kind), let nanoseconds = nanoseconds(of: point)
            else {
                content.reject(1, of: name, .malformed)
                continue
            }
            if isCounter, case .value(let value) = values, (value.double ?? 0) < 0 {
                content.reject(1, of: name, .negative)
                continue
            }
            content.points.append(
                MetricPoint(
                    name: name, unit: unit, attributes: attributes(of: point) + resource,
                    time: nanoseconds == 0
                        ? nil : Timestamp(microseconds: Int64(nanoseconds / 1000)),
                    content: values))
        }
    }

    private static func values(of point: JSONValue, _ kind: String) -> MetricPoint.Content? {
        if kind == "gauge" || kind == "sum" {
            if let text = point.member("asInt") {
                return integer(text).map { .value(.integer($0)) }
            }
            return number(point.member("asDouble")).map { .value(.number($0)) }
        }
        var values: [String: Value] = [:]
        guard let count = integer(point.member("count")) else { return nil }
        values["count"] = .integer(count)
        for name in ["sum", "min", "max"] {
            guard let member = point.member(name) else { continue }
            guard let number = number(member) else { return nil }
            values[name] = .number(number)
        }
        return .summary(values)
    }

    /// Nanoseconds since 1970, 0 for a data point without a time; `nil` for an invalid time.
    private static func nanoseconds(of point: JSONValue) -> UInt64? {
        guard let member = point.member("timeUnixNano") else { return 0 }
        return UInt64(member.string ?? member.number?.literal ?? "")
    }

    private static func temporality(_ data: JSONValue) -> Int? {
        guard let member = data.member("aggregationTemporality") else { return nil }
        if member.string == "AGGREGATION_TEMPORALITY_CUMULATIVE" { return cumulative }
        return member.int64.flatMap { Int(exactly: $0) }
    }

    /// The attributes with a text, a number or a boolean.
    private static func attributes(of owner: JSONValue?) -> [MetricPoint.Attribute] {
        (owner?.member("attributes")?.array ?? []).compactMap { attribute in
            guard let key = attribute.member("key")?.text(atMost: PushLimits.name),
                let value = attribute.member("value")
            else { return nil }
            return attributeText(value).map { MetricPoint.Attribute(key: key, value: $0) }
        }
    }

    private static func attributeText(_ value: JSONValue) -> String? {
        if let text = value.member("stringValue") { return text.text(atMost: PushLimits.name) }
        if let number = integer(value.member("intValue")) { return "\(number)" }
        guard case .bool(let flag) = value.member("boolValue")?.content else { return nil }
        return flag ? "true" : "false"
    }

    /// A 64-bit integer: a text in the JSON of protobuf, or a number.
    private static func integer(_ value: JSONValue?) -> Int64? {
        guard let value else { return nil }
        return value.string.flatMap { Int64($0) } ?? value.int64
    }

    /// A double: a number, or a text in the JSON of protobuf; `nil` if it is not finite.
    private static func number(_ value: JSONValue?) -> Double? {
        guard let value, let number = value.double ?? value.string.flatMap({ Double($0) }),
            number.isFinite
        else { return nil }
        return number
    }

    private static func list(
        _ owner: JSONValue, _ name: String
    ) throws(PushFault) -> [JSONValue] {
        guard let member = owner.member(name) else { return [] }
        guard let list = member.array, list.allSatisfy({ $0.object != nil }) else {
            throw PushFault(.malformed, "\(name) is not a list of objects.")
        }
        return list
    }
}

/// A data point of a metric.
public struct MetricPoint: Hashable, Sendable {
    /// An attribute of the data point or of its resource, as text.
    public struct Attribute: Hashable, Sendable {
        /// The key.
        public let key: String
        /// The value.
        public let value: String

        /// Creates an attribute.
        public init(key: String, value: String) {
            (self.key, self.value) = (key, value)
        }
    }

    /// What was measured.
    public enum Content: Hashable, Sendable {
        /// The value of a gauge or of a cumulative sum.
        case value(Value)
        /// `count`, and where they are known `sum`, `min` and `max`.
        case summary([String: Value])
    }

    /// The name of the metric.
    public let name: String
    /// UCUM; empty if the metric has none.
    public let unit: String
    /// Those of the data point first.
    public let attributes: [Attribute]
    /// `nil` for the time of arrival.
    public let time: Timestamp?
    /// What was measured.
    public let content: Content

    /// The kinds of sensor whose field this may be: that of the whole name, and that of the part before its last
    /// dot, whose field is the part after it.
    public var targets: [(kind: SensorID, field: String?)] {
        var targets: [(SensorID, String?)] = []
        if let kind = LinePoint.sensor(name) { targets.append((kind, nil)) }
        if let dot = name.lastIndex(of: "."), let kind = LinePoint.sensor(String(name[..<dot])),
            name.index(after: dot) < name.endIndex
        {
            targets.append((kind, LineScanner.fieldName(String(name[name.index(after: dot)...]))))
        }
        return targets
    }

    /// The sensors of a kind to which the data point may belong, the most specific first: one for the value of each
    /// attribute, then the kind itself.
    public func sensors(of kind: SensorID) -> [SensorID] {
        attributes.map { kind.instance($0.value) } + [kind]
    }
}

/// The content of a body of metrics.
public struct MetricsContent: Hashable, Sendable {
    /// Why data points are rejected.
    public enum Reason: Hashable, Sendable {
        case noName, delta, malformed, negative

        /// The reason as a clause.
        public var words: String {
            switch self {
            case .noName: "the metric has no name"
            case .delta:
                "only cumulative sums and histograms are stored; set"
                    + " OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=cumulative"
            case .malformed: "the value is missing or not finite, or the time is invalid"
            case .negative: "a monotonic sum is negative"
            }
        }
    }

    /// Some data points of one metric that are rejected for one reason.
    public struct Rejection: Hashable, Sendable {
        /// The name of the metric.
        public let metric: String
        /// The reason.
        public let reason: Reason
    }

    /// The valid data points, in order.
    public fileprivate(set) var points: [MetricPoint] = []
    /// The number of rejected data points.
    public fileprivate(set) var rejected: [Rejection: Int] = [:]
    /// The number of data points that say that nothing was recorded.
    public fileprivate(set) var unrecorded = 0

    fileprivate var count: Int { points.count + rejected.values.reduce(0, +) + unrecorded }

    fileprivate mutating func reject(_ count: Int, of metric: String, _ reason: Reason) {
        guard count > 0 else { return }
        rejected[Rejection(metric: metric, reason: reason), default: 0] += count
    }
}
