public import Tracks

/// How long a session has been active, pauses left out.
///
/// From readings of a clock that never goes back and goes on while the machine sleeps, such as
/// `ContinuousClock`; never from counted ticks, nor from the wall clock, which people and networks
/// set. A reading that is earlier than one before counts as no time passed.
public struct WorkoutClock: Hashable, Sendable {
    public private(set) var state = SessionState.inactive
    /// Active time up to the last pause.
    private var counted = Duration.zero
    /// When it became active last.
    private var since = Duration.zero
    /// The latest reading.
    private var latest = Duration.zero

    public init() {}

    /// Starts, pauses, resumes or ends it; a start begins at nothing.
    ///
    /// - Parameter now: since any beginning.
    /// - Throws: ``TrackError`` `.wrongState`, and nothing changes.
    public mutating func apply(_ step: SessionStep, at now: Duration) throws(TrackError) {
        let next = try step.applied(to: state)
        let elapsed = elapsed(at: now)
        latest = max(latest, now)
        counted = step == .start ? .zero : elapsed
        (state, since) = (next, latest)
    }

    /// Active time until now.
    public func elapsed(at now: Duration) -> Duration {
        state == .active ? counted + (max(now, latest) - since) : counted
    }
}
