public import Samples
import Tracks

/// A session with its history, as the book keeps it.
public struct SessionRecord: Hashable, Sendable {
    /// A step that was made.
    public struct Event: Hashable, Sendable {
        public let step: SessionStep
        /// When; never before the event before.
        public let time: Timestamp
    }

    /// The most steps of a session.
    static let eventLimit = 10_000

    public private(set) var session: Session
    /// In the order of time.
    public private(set) var events: [Event] = []
    /// The length of its route in metres where a person has entered one; the route has no points then.
    public private(set) var enteredDistance: Double?
    /// Whether it came from a file, and its route with it.
    public let isImported: Bool

    init(_ session: Session, isImported: Bool = false) {
        (self.session, self.isImported) = (session, isImported)
    }

    /// Starts, pauses, resumes or finishes it.
    ///
    /// A time before the last step counts as that of the last step, since the wall clock may be set
    /// back.
    /// - Throws: `wrongState`, and nothing changes; `full` when it would not end with this step and
    ///   has had 10 000.
    mutating func apply(_ step: SessionStep, at time: Timestamp) throws(SessionsError) {
        guard events.count < Self.eventLimit || step == .finish else {
            throw SessionsError(
                .full, "A session has \(Self.eventLimit) steps at most.",
                hint: "Finish it, and begin another.")
        }
        let time = max(time, events.last?.time ?? time)
        do {
            try session.apply(step, at: time)
        } catch {
            throw SessionsError(error)
        }
        events.append(Event(step: step, time: time))
    }

    /// Changes what is named; the rest stays.
    ///
    /// - Throws: `invalid` for words, sensors or a length that cannot be, `wrongState` for other
    ///   sensors of a session that has begun.
    mutating func update(_ change: SessionChange) throws(SessionsError) {
        do {
            try session.update(
                SessionDraft(
                    name: change.name ?? session.name,
                    description: change.description ?? session.description,
                    sensors: change.sensors ?? session.sensors))
            if let distance = change.distance {
                var route = Route()
                try route.enter(distance: distance)
                enteredDistance = distance
            }
        } catch {
            throw SessionsError(error)
        }
    }
}
