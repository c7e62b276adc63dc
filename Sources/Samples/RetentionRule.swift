/// How long, and up to what size, samples of a sensor are kept.
///
/// Samples are pruned first, oldest first, and replaced by a summary of each hour. Then the
/// summaries are pruned. The newest sample is always kept.
///
/// ```swift
/// // Samples for 30 days, hourly summaries for five years:
/// let rule = RetentionRule(raw: .seconds(30 * 86_400), summaries: .seconds(1825 * 86_400))
/// ```
public struct RetentionRule: Hashable, Sendable, Codable {
    /// The maximum age of a sample; `nil` to keep samples while the budget allows.
    public var raw: Duration?
    /// The maximum size of the samples in bytes; `nil` for no limit but the budget.
    public var bytes: Int64?
    /// The maximum age of an hourly summary, counted from the hour; `nil` for no limit.
    ///
    /// No summaries are made when it does not exceed `raw`.
    public var summaries: Duration?

    /// A rule with these limits; without limits it equals ``standard``.
    public init(raw: Duration? = nil, bytes: Int64? = nil, summaries: Duration? = nil) {
        self.raw = raw
        self.bytes = bytes
        self.summaries = summaries
    }

    /// Keeps samples while the budget allows, and summaries without limit.
    public static let standard = RetentionRule()
}

extension RetentionRule: CustomStringConvertible {
    /// Such as `raw 30d, at most 500000000 bytes, summaries 1825d`.
    public var description: String {
        [
            raw.map { "raw \($0.span)" } ?? "raw while the budget allows",
            bytes.map { "at most \($0) bytes" },
            summaries.map { "summaries \($0.span)" } ?? "summaries kept",
        ].compactMap(\.self).joined(separator: ", ")
    }
}

/// The retention rules of all sensors.
public struct RetentionRules: Hashable, Sendable {
    /// The rule of sensors that have no rule of their own.
    public var standard: RetentionRule
    /// The rules of single sensors, and of kinds for all their instances.
    public var bySensor: [SensorID: RetentionRule]

    /// Combines a default rule with rules of sensors and kinds.
    public init(
        standard: RetentionRule = .standard, bySensor: [SensorID: RetentionRule] = [:]
    ) {
        self.standard = standard
        self.bySensor = bySensor
    }

    /// The rule of the sensor itself, else of the longest identifier that covers it, else
    /// ``standard``.
    public func rule(for sensor: SensorID) -> RetentionRule {
        bySensor[sensor] ?? bySensor.filter { $0.key.covers(sensor) }.max { $0.key < $1.key }?.value
            ?? standard
    }
}

/// The receipt for forgotten samples of a sensor: counts of removed samples and summaries.
public struct ForgetReceipt: Hashable, Sendable {
    /// The sensor.
    public let sensor: SensorID
    /// The range that was forgotten.
    public let range: TimeRange
    /// When it was forgotten.
    public let time: Timestamp
    /// The number of samples that were removed.
    public var samples = 0
    /// The number of hourly summaries that were removed; their samples had been pruned before.
    public var summaries = 0
    /// The number of samples that the removed summaries covered.
    public var summarised = 0
    /// The number of removed summaries that extend beyond the range: a summary cannot be split.
    public var partialHours = 0
    /// The number of damaged rows and chunks, which were removed whole.
    public var unreadable = 0
    /// The bytes that the removed samples and summaries occupied in the file.
    public var bytes: Int64 = 0
    /// Whether the bytes were also overwritten or truncated in the files.
    ///
    /// `false` while a reader holds an earlier snapshot; the next maintenance then overwrites them.
    public var isErased = false

    /// A receipt without any removals yet.
    public init(sensor: SensorID, range: TimeRange, time: Timestamp) {
        self.sensor = sensor
        self.range = range
        self.time = time
    }
}
