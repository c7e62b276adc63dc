public import Samples

/// How old the newest sample of a sensor is, and whether that is old for this sensor.
public struct Freshness: Hashable, Sendable {
    /// A sample is stale when this many intervals have passed without another.
    private static let intervals = 3
    /// Up to this age, a sample is never stale: the next one may be on its way.
    private static let grace = Duration.seconds(10)

    /// The time since the sample; zero if its timestamp is ahead of the host's clock.
    public let age: Duration
    /// Whether another sample should have come since; `nil` when the sensor's interval is unknown.
    public let isStale: Bool?

    /// - Parameter interval: the expected interval between two samples; `nil` when it is unknown.
    public init(of time: Timestamp, at now: Timestamp, every interval: Duration?) {
        let age = max(.zero, time.duration(to: now))
        self.age = age
        isStale = interval.map { age > max($0 * Self.intervals, Self.grace) }
    }
}

extension CollectedSensor {
    /// The expected interval between two samples; see ``SensorStatus/interval``.
    ///
    /// - Parameter observed: the longest of the last intervals; `nil` with fewer than two samples.
    func interval(at level: CollectionLevel, observed: Duration?) -> Duration? {
        // The level does not apply to a virtual sensor, whose samples are computed when they are
        // read.
        if sensor.derivation != nil { return sensor.cadence.medium }
        var configured = level.interval(sensor.cadence).flatMap { $0 > .zero ? $0 : nil }
        if case .polled = availability, level == .auto {
            configured = adaptiveInterval ?? sensor.cadence.low
        }
        return switch availability {
        case .polled, .timed, .unavailable: configured ?? observed
        case .pushed, .derived, .published: observed
        }
    }
}
