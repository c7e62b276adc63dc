import LAE
import Samples

/// A stretch of time of which samples are damaged and are not read, as the API gives it.
public struct DamagedRange: Codable, Hashable, Sendable {
    /// More of them are told as one that reaches over all that are left.
    static let limit = 16

    /// Not there in an answer about one sensor.
    public let sensor: String?
    /// Milliseconds since 1970; not there for an open end.
    public let from: Double?
    public let to: Double?

    init(_ range: TimeRange, of sensor: SensorID?) {
        self.sensor = sensor?.description
        from = range.from.bounded?.milliseconds
        to = range.to.bounded?.milliseconds
    }

    /// - Returns: `nil` of none.
    static func list(_ ranges: [TimeRange], of sensor: SensorID? = nil) -> [DamagedRange]? {
        ranges.isEmpty
            ? nil : ranges.joined(atMost: limit).map { DamagedRange($0, of: sensor) }
    }

    /// - Returns: `nil` of none.
    static func list(_ ranges: [SensorID: [TimeRange]]) -> [DamagedRange]? {
        let all = ranges.sorted { $0.key < $1.key }.flatMap { list($1, of: $0) ?? [] }
        return all.isEmpty ? nil : all
    }
}

extension [TimeRange] {
    /// The field of a header that tells of them, such as `2026-03-01T12:00:00.250000Z/..`: the moments
    /// from one, included, to another, excluded; `..` is an open end.
    ///
    /// - Returns: `nil` of none.
    var damageField: String? {
        guard !isEmpty else { return nil }
        return joined(atMost: DamagedRange.limit).map { range in
            [range.from, range.to].map { $0.bounded?.description ?? ".." }.joined(separator: "/")
        }.joined(separator: ", ")
    }
}
