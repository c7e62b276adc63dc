/// How far the clock of a source of samples differs from the host's clock, as an estimate.
///
/// Messages travel one way, so an offset and a delay cannot be separated entirely: the source's clock is
/// ahead by at least ``ahead``. If that is negative, the clock is behind by at most its absolute value, or
/// every message was delayed.
public struct ClockOffset: Hashable, Sendable {
    /// An offset larger than this is reported to the owner: clocks that a time server sets differ
    /// by less than a second, and messages of sensors seldom take longer.
    public static let bound = Duration.seconds(5)

    /// The source's clock minus the host's.
    public let ahead: Duration
    /// When the last message arrived that it was estimated from.
    public let measured: Timestamp
    /// Whether messages of at least eight separate minutes were compared, so that a single delay no longer
    /// counts.
    public let isSettled: Bool

    /// Creates an offset.
    public init(ahead: Duration, measured: Timestamp, isSettled: Bool) {
        (self.ahead, self.measured, self.isSettled) = (ahead, measured, isSettled)
    }

    /// Whether the owner should correct a clock.
    ///
    /// Nothing arrives before it was sent, so one message proves that a clock is ahead. A clock is
    /// probably behind only if all messages of several minutes came late.
    public var isWrong: Bool {
        ahead > Self.bound || isSettled && ahead < .zero - Self.bound
    }
}

/// A message whose source wrote its own time, and when the message arrived.
public struct ClockReading: Hashable, Sendable {
    /// The time that the source wrote; of a batch, the newest one.
    public let stamp: Timestamp
    /// The time of arrival by the host's clock.
    public let arrival: Timestamp

    /// Pairs the two times of a message.
    public init(stamp: Timestamp, arrival: Timestamp) {
        (self.stamp, self.arrival) = (stamp, arrival)
    }
}

/// Estimates the clock offset of a source from the times of its messages and of their arrival.
///
/// Arrival minus time stamp is the delay minus the offset, and no delay is negative. So the smallest
/// difference is the closest to the offset: the message of least delay counts, as in the clock filter of NTP,
/// which selects among the last eight (RFC 5905, section 10). Samples that waited in a buffer differ by more
/// and have no effect.
///
/// Source for one-way measurements: V. Paxson, On Calibrating Measurements of Packet Transit Times, ACM
/// SIGMETRICS 1998.
///
/// ```swift
/// var filter = ClockFilter()
/// filter.take(ClockReading(stamp: sample.time, arrival: .now()))
/// filter.offset?.ahead
/// ```
public struct ClockFilter: Sendable {
    /// The number of periods whose least differences are kept.
    private static let stages = 8
    /// The minimum length of a period, in microseconds: many messages count as one, and a corrected clock is
    /// noticed within eight minutes of messages.
    private static let period: Int64 = 60_000_000
    /// A larger difference, in microseconds, comes from recorded samples or from a wrong time
    /// stamp.
    private static let limit: Int64 = 86_400_000_000

    /// A period, and the least difference of its messages, in microseconds.
    private struct Stage {
        let start: Timestamp
        var least: Int64
    }

    private var stages: [Stage] = []
    private var last = Timestamp.distantPast

    /// - Parameter known: an earlier estimate, which counts as one period.
    public init(resuming known: ClockOffset? = nil) {
        guard let known else { return }
        last = known.measured
        stages = [
            Stage(start: known.measured, least: (Duration.zero - known.ahead).wholeMicroseconds)
        ]
    }

    /// Compares the times of a message; a message whose times differ by more than a day does not
    /// count.
    public mutating func take(_ reading: ClockReading) {
        let difference = reading.stamp.duration(to: reading.arrival).wholeMicroseconds
        guard difference >= -Self.limit, difference <= Self.limit else { return }
        last = reading.arrival
        // A new period also begins when the host's clock was set back, so that differences
        // measured by the old clock are dropped after some periods.
        guard let stage = stages.last, reading.arrival >= stage.start,
            reading.arrival < stage.start.advanced(byMicroseconds: Self.period)
        else {
            stages.append(Stage(start: reading.arrival, least: difference))
            if stages.count > Self.stages { stages.removeFirst() }
            return
        }
        stages[stages.count - 1].least = min(stage.least, difference)
    }

    /// The estimate; `nil` before the first message.
    public var offset: ClockOffset? {
        stages.map(\.least).min().map {
            ClockOffset(
                ahead: .zero - .microseconds($0), measured: last,
                isSettled: stages.count == Self.stages)
        }
    }
}
