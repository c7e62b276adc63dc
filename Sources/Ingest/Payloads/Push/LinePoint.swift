public import Samples

/// What one line in line protocol says.
public struct LinePoint: Hashable, Sendable {
    /// A tag as it stood, without its escapes.
    public struct Tag: Hashable, Sendable {
        public let key: String
        public let value: String

        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// Counted from 1.
    public let line: Int
    public let measurement: String
    /// In the order in which they stood.
    public let tags: [Tag]
    /// The fields, by names that fields can have here: `usage_idle` is `usageIdle`.
    public let reading: Reading

    /// The sensor that the measurement names; `nil` where an identifier cannot hold anything of it.
    ///
    /// Capitals become small letters, and what an identifier cannot hold becomes single hyphens.
    public var kind: SensorID? { Self.sensor(measurement) }

    /// The sensors that the point can be of, the most particular first: `MEASUREMENT.VALUE` for the value
    /// of each tag, then `MEASUREMENT`.
    public var sensors: [SensorID] {
        guard let kind else { return [] }
        return tags.map { kind.instance($0.value) } + [kind]
    }

    private static func sensor(_ measurement: String) -> SensorID? {
        if let id = SensorID(measurement) { return id }
        let segments = measurement.lowercased().split(separator: ".").map { segment in
            segment.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.joined(separator: "-")
        }
        return SensorID(segments.filter { !$0.isEmpty }.joined(separator: "."))
    }
}
