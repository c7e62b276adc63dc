public import Samples

/// A form of Prometheus' exposition.
public enum ExpositionFormat: Hashable, Sendable, CaseIterable {
    /// OpenMetrics 1.0.
    case openMetrics
    /// The text format 0.0.4 of Prometheus.
    case text

    /// The value of `Content-Type`.
    public var mediaType: String {
        switch self {
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        case .text: "text/plain; version=0.0.4; charset=utf-8"
        }
    }
}

/// Metrics of one name, type and unit.
public struct MetricFamily: Sendable {
    /// The types of a metric.
    public enum Kind: String, Hashable, Sendable {
        /// A value that can grow and shrink.
        case gauge
        /// A total that only grows; the name of its samples ends with `_total`.
        case counter
        /// Quantiles of the values in a recent interval.
        case summary
        /// Labels about something; the name of its samples ends with `_info`, and the value is 1.
        case info
    }

    /// One sample.
    public struct Point: Sendable {
        let labels: [(name: String, value: String)]
        let value: Number
        let time: Timestamp?

        /// - Parameters:
        ///   - labels: without the name.
        ///   - time: when it was measured; `nil` for when it is asked for.
        public init(
            _ value: Number, labels: [(name: String, value: String)] = [], time: Timestamp? = nil
        ) {
            self.labels = labels
            self.value = value
            self.time = time
        }
    }

    /// A value; a whole number is written exactly.
    public enum Number: Hashable, Sendable {
        /// A double, which may be infinite or not a number.
        case number(Double)
        /// A whole number.
        case integer(Int64)
    }

    /// The name, without `_total` and `_info`.
    public let name: String
    /// The type.
    public let kind: Kind
    /// The unit; `nil` for none.
    public let unit: String?
    /// What it is, in a sentence.
    public let help: String
    /// The samples.
    public var points: [Point]

    /// Creates a family.
    ///
    /// - Parameter unit: the end of the name.
    public init(
        _ name: String, _ kind: Kind, unit: String? = nil, help: String, points: [Point] = []
    ) {
        (self.name, self.kind, self.unit, self.help) = (name, kind, unit, help)
        self.points = points
    }
}

/// Writes families of metrics as text.
///
/// ```swift
/// var writer = ExpositionWriter(.openMetrics)
/// writer.write(family)
/// let bytes = writer.finish()
/// ```
public struct ExpositionWriter: Sendable {
    private let format: ExpositionFormat
    private var bytes: [UInt8] = []

    /// Creates a writer.
    public init(_ format: ExpositionFormat) {
        self.format = format
    }

    /// Writes a family; each name may be written once.
    public mutating func write(_ family: MetricFamily) {
        let suffix =
            switch family.kind {
            case .counter: "_total"
            case .info: "_info"
            case .gauge, .summary: ""
            }
        let sample = family.name + suffix
        // The text format has no suffixes by type and no type for information.
        let name = format == .openMetrics ? family.name : sample
        let kind = format == .text && family.kind == .info ? .gauge : family.kind
        write("# HELP \(name) ")
        write(escaped: family.help, quotes: format == .openMetrics)
        write("\n# TYPE \(name) \(kind.rawValue)\n")
        if format == .openMetrics, let unit = family.unit { write("# UNIT \(name) \(unit)\n") }
        for point in family.points { write(point, sample) }
    }

    /// The text.
    public mutating func finish() -> [UInt8] {
        if format == .openMetrics { write("# EOF\n") }
        defer { bytes = [] }
        return bytes
    }

    private mutating func write(_ point: MetricFamily.Point, _ name: String) {
        write(name)
        var separator = "{"
        for (label, value) in point.labels {
            write(separator)
            write(label)
            write("=\"")
            write(escaped: value, quotes: true)
            write("\"")
            separator = ","
        }
        if !point.labels.isEmpty { write("}") }
        write(" ")
        switch point.value {
        case .number(let number): write(PrometheusNumber.text(number))
        case .integer(let integer): write("\(integer)")
        }
        if let time = point.time {
            write(" ")
            switch format {
            case .openMetrics: write(PrometheusNumber.seconds(time))
            case .text: write("\(Int64((Double(time.microseconds) / 1000).rounded(.down)))")
            }
        }
        write("\n")
    }

    private mutating func write(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// - Parameter quotes: whether quotation marks are escaped, too.
    private mutating func write(escaped text: String, quotes: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): write(#"\\"#)
            case UInt8(ascii: "\n"): write(#"\n"#)
            case UInt8(ascii: "\"") where quotes: write(#"\""#)
            default: bytes.append(byte)
            }
        }
    }
}

/// Numbers as Prometheus writes them.
enum PrometheusNumber {
    static func text(_ number: Double) -> String {
        guard number.isFinite else { return number.isNaN ? "NaN" : number < 0 ? "-Inf" : "+Inf" }
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Seconds since 1970 with the microseconds as a fraction, exactly.
    static func seconds(_ time: Timestamp) -> String {
        let (whole, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest != 0 else { return "\(whole)" }
        let digits = String(rest.magnitude)
        let sign = time.microseconds < 0 && whole == 0 ? "-" : ""
        var fraction = String(repeating: "0", count: 6 - digits.count) + digits
        while fraction.last == "0" { fraction.removeLast() }
        return "\(sign)\(whole).\(fraction)"
    }
}
