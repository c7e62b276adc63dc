public import Samples
import Tracks

/// A stored session with its steps.
public struct SessionRecord: Hashable, Sendable {
    /// A step and its time.
    public struct Event: Hashable, Sendable {
        /// The step.
        public let step: SessionStep
        /// The time of the step, never before the time of the previous step.
        public let time: Timestamp
    }

    /// The maximum number of steps of a session.
    static let eventLimit = 10_000

    /// The session.
    public private(set) var session: Session
    /// Its steps, in order of time.
    public private(set) var events: [Event] = []
    /// The entered length of its route in metres; the route has no points then.
    public private(set) var enteredDistance: Double?
    /// Whether it was imported from a file with its route.
    public let isImported: Bool
    /// The app or program that created it; `nil` for the owner.
    public let creator: SessionCreator?

    init(_ session: Session, isImported: Bool = false, creator: SessionCreator? = nil) {
        (self.session, self.isImported, self.creator) = (session, isImported, creator)
    }

    /// Starts, pauses, resumes or finishes the session.
    ///
    /// A time before the last step is replaced by the time of that step, since the wall clock may
    /// be set back.
    ///
    /// - Throws: `wrongState`; `full` for a step other than finish after 10 000. Nothing changes
    ///   then.
    mutating func apply(_ step: SessionStep, at time: Timestamp) throws(SessionsError) {
        guard events.count < Self.eventLimit || step == .finish else {
            throw SessionsError(
                .full, "A session has at most \(Self.eventLimit) steps.",
                hint: "Finish it and start another.")
        }
        let time = max(time, events.last?.time ?? time)
        try session.apply(step, at: time)
        events.append(Event(step: step, time: time))
    }

    /// Applies a change.
    ///
    /// - Throws: `invalid` for invalid values, `wrongState` for other sensors of a session that has
    ///   begun.
    mutating func update(_ change: SessionChange) throws(SessionsError) {
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
    }
}

/// The app, or program with a token, that created a session.
public struct SessionCreator: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// A number that distinguishes it from others of the same name, including earlier and later ones.
    public let number: String

    /// Creates a value from its members.
    public init(name: String, number: String) {
        (self.name, self.number) = (name, number)
    }
}

/// The sessions that a caller may use; the others do not exist for it.
public enum SessionScope: Hashable, Sendable {
    /// All sessions.
    case all
    /// The sessions that an app or program created.
    case created(SessionCreator)

    /// Whether a session is among them.
    public func includes(_ record: SessionRecord) -> Bool {
        switch self {
        case .all: true
        case .created(let creator): record.creator?.number == creator.number
        }
    }
}

/// A change of a session; `nil` keeps a value.
public struct SessionChange: Hashable, Sendable {
    /// The new name.
    public var name: String?
    /// The new description.
    public var description: String?
    /// The new sensors, only before the start.
    public var sensors: [SensorID]?
    /// The length of its route in metres; it permanently replaces the measured one.
    public var distance: Double?

    /// Creates a change.
    public init(
        name: String? = nil, description: String? = nil, sensors: [SensorID]? = nil,
        distance: Double? = nil
    ) {
        (self.name, self.description) = (name, description)
        (self.sensors, self.distance) = (sensors, distance)
    }
}

/// A page of a list of sessions.
public struct SessionPage: Sendable {
    /// The sessions, the newest first.
    public let records: [SessionRecord]
    /// The identifier after which the next page begins; `nil` on the last page.
    public let next: String?
}
