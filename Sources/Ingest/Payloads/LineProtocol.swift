public import Samples

/// Reads InfluxDB's line protocol:
/// `measurement,tag=value field=1.5,other=2i,name="text",on=t 1698501144401740000`.
///
/// Integers end in `i` or `u`; booleans become the states `true` and `false`. Empty lines and those
/// that begin with `#` are skipped. Unlike InfluxDB, duplicate fields in a line are rejected, and a
/// line ends at every line feed. Source: docs.influxdata.com, line protocol reference.
public enum LineProtocolReader {
    /// Parses a body; invalid lines are reported in the result.
    ///
    /// - Throws: `malformed` for invalid UTF-8, `tooLarge` for too many bytes or lines.
    public static func content(
        _ bytes: [UInt8], precision: TimePrecision = .nanoseconds
    ) throws(PushFault) -> LineContent {
        guard bytes.count <= PushLimits.bytes else {
            throw PushFault(.tooLarge, "A body has at most \(PushLimits.bytes) bytes.")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw PushFault(.malformed, "The body is not UTF-8.")
        }
        var content = LineContent()
        var (number, start) = (0, 0)
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            var scanner = LineScanner(bytes[start..<end])
            (number, start) = (number + 1, end + 1)
            guard !scanner.isBlank else { continue }
            guard content.points.count + content.faults.count < PushLimits.lines else {
                throw PushFault(.tooLarge, "A body has at most \(PushLimits.lines) lines.")
            }
            do throws(LineScanner.Fault) {
                content.points.append(try scanner.point(line: number, precision))
            } catch {
                content.faults.append(LineFault(line: number, message: error.message))
            }
        }
        return content
    }
}

/// The content of a body in line protocol.
public struct LineContent: Hashable, Sendable {
    /// The valid lines, in order.
    public var points: [LinePoint] = []
    /// The invalid lines.
    public var faults: [LineFault] = []
}

/// A point: the content of one line in line protocol.
public struct LinePoint: Hashable, Sendable {
    /// A tag, unescaped.
    public struct Tag: Hashable, Sendable {
        /// The key.
        public let key: String
        /// The value.
        public let value: String

        /// Creates a tag.
        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// Counted from 1.
    public let line: Int
    /// The measurement, unescaped.
    public let measurement: String
    /// The tags in their order.
    public let tags: [Tag]
    /// The fields by valid field names: `usage_idle` becomes `usageIdle`.
    public let reading: Reading

    /// The sensor named by the measurement, or `nil` if no character of it is allowed in an
    /// identifier.
    ///
    /// Letters become lower case, and characters not allowed in an identifier become single
    /// hyphens.
    public var kind: SensorID? { Self.sensor(measurement) }

    /// The candidate sensors of the point, the most specific first: `MEASUREMENT.VALUE` for the
    /// value of each tag, then `MEASUREMENT`.
    public var sensors: [SensorID] {
        guard let kind else { return [] }
        return tags.map { kind.instance($0.value) } + [kind]
    }

    /// The kind of sensor for the name of a measurement; `nil` if no character of it is allowed.
    static func sensor(_ measurement: String) -> SensorID? {
        if let id = SensorID(measurement) { return id }
        let segments = measurement.lowercased().split(separator: ".").map { segment in
            segment.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.joined(separator: "-")
        }
        return SensorID(segments.filter { !$0.isEmpty }.joined(separator: "."))
    }
}

/// Why a line is rejected.
public struct LineFault: Error, Hashable, Sendable {
    /// Counted from 1.
    public let line: Int
    /// A clause, such as `the quote of a text is not closed`.
    public let message: String

    /// Creates a fault of a line.
    public init(line: Int, message: String) {
        self.line = line
        self.message = message
    }
}

/// The unit of times in line protocol.
public enum TimePrecision: Hashable, Sendable {
    /// Units of this length since 1970.
    case nanoseconds, microseconds, milliseconds, seconds, minutes, hours

    /// Parses the `precision` parameter of InfluxDB's API, version 1 or 2.
    ///
    /// - Returns: `nil` for an unknown value.
    public init?(_ text: some StringProtocol) {
        switch text {
        case "n", "ns": self = .nanoseconds
        case "u", "us": self = .microseconds
        case "ms": self = .milliseconds
        case "s": self = .seconds
        case "m": self = .minutes
        case "h": self = .hours
        default: return nil
        }
    }

    /// The time `count` units after 1970, truncated to microseconds.
    ///
    /// - Returns: `nil` for a time before 1970 or out of range.
    func moment(_ count: Int64) -> Timestamp? {
        guard count >= 0 else { return nil }
        let factor: Int64
        switch self {
        case .nanoseconds: return Timestamp(microseconds: count / 1000)
        case .microseconds: factor = 1
        case .milliseconds: factor = 1000
        case .seconds: factor = 1_000_000
        case .minutes: factor = 60_000_000
        case .hours: factor = 3_600_000_000
        }
        let (microseconds, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : Timestamp(microseconds: microseconds)
    }
}
