import DequeModule

/// Admits at most `limit` units within any interval of length `window`, with a sliding-window log.
///
/// It is a value without a clock of its own; the caller passes the current instant. Instants
/// earlier than one already seen, from a wall clock that was set back, clear the log instead of
/// blocking.
///
/// ```swift
/// var limiter = RateLimiter<ContinuousClock.Instant>(10, per: .seconds(60))
/// if let wait = limiter.admit(at: .now) { throw TooManyRequests(retryAfter: wait) }
/// ```
public struct RateLimiter<Instant: InstantProtocol & Sendable>: Sendable
where Instant.Duration == Duration {
    /// Units admitted within ``window``.
    public let limit: Int
    /// The length of the sliding window.
    public let window: Duration

    private var admitted: Deque<Admission> = []
    private var total = 0

    private struct Admission {
        let instant: Instant
        var units: Int
    }

    /// - Precondition: `limit` and `window` are above zero.
    public init(_ limit: Int, per window: Duration) {
        precondition(limit > 0 && window > .zero)
        self.limit = limit
        self.window = window
    }

    /// Admits `units`, or nothing at all when they exceed the limit.
    ///
    /// Rejected units do not lengthen the wait. More units than `limit` are never admitted.
    ///
    /// - Returns: how long to wait before trying again; `nil` when admitted.
    public mutating func admit(_ units: Int = 1, at now: Instant) -> Duration? {
        expire(at: now)
        guard total + units > limit else {
            append(units, at: now)
            return nil
        }
        var excess = total + units - limit
        for admission in admitted {
            excess -= admission.units
            if excess <= 0 { return now.duration(to: admission.instant.advanced(by: window)) }
        }
        return window
    }

    /// Reserves the next free slot for one unit.
    ///
    /// A limiter is used either with this or with ``admit(_:at:)``, never with both.
    ///
    /// - Returns: how long to wait for that slot; zero when it is now.
    public mutating func reserve(at now: Instant) -> Duration {
        expire(at: now, keepsFuture: true)
        let due =
            admitted.count < limit
            ? now : max(now, admitted[admitted.count - limit].instant.advanced(by: window))
        admitted.append(Admission(instant: due, units: 1))
        total += 1
        return now.duration(to: due)
    }

    /// Whether no admitted unit counts any more, so that the limiter can be discarded.
    public func isIdle(at now: Instant) -> Bool {
        admitted.last.map { $0.instant.advanced(by: window) <= now || now < $0.instant } ?? true
    }

    private mutating func append(_ units: Int, at instant: Instant) {
        total += units
        if admitted.last?.instant == instant {
            admitted[admitted.count - 1].units += units
        } else {
            admitted.append(Admission(instant: instant, units: units))
        }
    }

    private mutating func expire(at now: Instant, keepsFuture: Bool = false) {
        if !keepsFuture, let last = admitted.last, now < last.instant {
            admitted.removeAll()
            total = 0
        }
        while let first = admitted.first, first.instant.advanced(by: window) <= now {
            total -= first.units
            admitted.removeFirst()
        }
    }
}
