import Samples
import Tracks

/// When a receiver that stays where it is may rest, and when it is looked at again.
///
/// Its clock is that of the fixes. A look is one fix: at the same place the receiver rests again, at
/// another it is listened to as before.
struct RestCycle: Hashable, Sendable {
    /// Metres within which it has not moved.
    static let radius = 10.0
    /// How long it may have stayed where it is before it rests.
    static let spans = Duration.seconds(60)...Duration.seconds(86_400)
    /// How long it may rest at a time: a route warns of a signal that is gone for 30 s, and so never
    /// notices that it rests.
    static let looks = Duration.seconds(5)...Duration.seconds(25)
    static let standardLook = Duration.seconds(20)

    let after: Duration
    let every: Duration
    /// Where and when it came to where it is.
    private var anchor: Fix?
    /// The fix before; one that is earlier begins anew, since the receiver's clock was put right.
    private var last: Timestamp?
    /// Since when it rests; `nil` unless it does.
    private var resting: Timestamp?

    var isResting: Bool { resting != nil }

    init(after: Duration, every: Duration = standardLook) {
        (self.after, self.every) = (after, every)
    }

    /// Takes a fix.
    ///
    /// - Returns: whether the receiver may rest from now on, until it is looked at again.
    mutating func take(_ fix: Fix) -> Bool {
        let isNext = last.map { fix.time >= $0 } ?? true
        last = fix.time
        guard let anchor, isNext, fix.position.distance(to: anchor.position) < Self.radius else {
            (self.anchor, resting) = (fix, nil)
            return false
        }
        // What was on its way when it was told to rest is no look.
        if let resting, elapsed(from: resting, to: fix.time) < every / 2 { return false }
        guard elapsed(from: anchor.time, to: fix.time) >= after else { return false }
        resting = fix.time
        return true
    }

    private func elapsed(from start: Timestamp, to end: Timestamp) -> Duration {
        let (span, overflow) = end.microseconds.subtractingReportingOverflow(start.microseconds)
        return .microseconds(overflow ? .max : span)
    }
}
