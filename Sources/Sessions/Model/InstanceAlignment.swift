public import Samples
public import Tracks

/// Samples of several sensors at the same moments, such as one on each limb.
public struct InstanceAlignment: Hashable, Sendable {
    /// What each sensor read at one moment.
    public struct Row: Hashable, Sendable {
        public let time: Timestamp
        /// In the order of ``InstanceAlignment/sensors``; `nil` where a sensor has no sample near.
        public let values: [[Value]?]
    }

    /// Sorted.
    public let sensors: [SensorID]
    public let rows: [Row]

    /// The moments are multiples of `step`.
    ///
    /// Each takes the sample of a sensor that is nearest, at most half a step away, the earlier of
    /// two. No sample is in two rows.
    ///
    /// - Parameters:
    ///   - samples: of each sensor, in the order of time.
    ///   - limit: the most rows.
    /// - Throws: ``TrackError`` `.invalid` for a step that is not above zero, `.tooLarge` where there
    ///   would be more rows than the limit.
    public init(
        _ samples: [SensorID: [Sample]], every step: Duration, atMost limit: Int = 1_000_000
    ) throws(TrackError) {
        let width = step.wholeMicroseconds
        guard width > 0 else { throw TrackError(.invalid, "Rows are some time apart.") }
        sensors = samples.keys.sorted()
        var cells: [Int64: [[Value]?]] = [:]
        var distances: [Int64: [UInt64]] = [:]
        for (place, sensor) in sensors.enumerated() {
            for sample in samples[sensor] ?? [] {
                let (cell, distance) = Self.nearest(sample.time.microseconds, width)
                if cells[cell] == nil {
                    guard cells.count < limit else {
                        throw TrackError(.tooLarge, "There are too many rows.")
                    }
                    cells[cell] = Array(repeating: nil, count: sensors.count)
                    distances[cell] = Array(repeating: .max, count: sensors.count)
                }
                guard distance < distances[cell]?[place] ?? 0 else { continue }
                cells[cell]?[place] = sample.values
                distances[cell]?[place] = distance
            }
        }
        rows = cells.sorted { $0.key < $1.key }.map {
            let (start, overflow) = $0.key.multipliedReportingOverflow(by: width)
            let end: Int64 = $0.key < 0 ? .min : .max
            return Row(time: Timestamp(microseconds: overflow ? end : start), values: $0.value)
        }
    }

    /// The row nearest to a moment, and how far it is.
    private static func nearest(_ time: Int64, _ width: Int64) -> (cell: Int64, distance: UInt64) {
        var (cell, rest) = time.quotientAndRemainder(dividingBy: width)
        if rest < 0 { (cell, rest) = (cell - 1, rest + width) }
        // Exactly half way belongs to the earlier row.
        return rest > width / 2 ? (cell + 1, UInt64(width - rest)) : (cell, UInt64(rest))
    }
}
