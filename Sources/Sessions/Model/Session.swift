public import Samples
public import Tracks

/// A workout, a trip, a measurement: samples of several sensors that belong together in time.
///
/// It holds no samples, but says which sensors and which spans of time are its own.
public struct Session: Hashable, Sendable {
    /// Chosen by whoever makes it, so that sessions of two machines do not collide.
    public let id: String
    public let created: Timestamp
    public private(set) var draft: SessionDraft
    public private(set) var state = SessionState.inactive
    /// When it was active, up to the last pause; ascending, and none overlaps another.
    public private(set) var spans: [TimeRange] = []
    /// When it became active last; `nil` unless it is.
    public private(set) var activeSince: Timestamp?
    /// Whether it was started and finished; nothing but its words changes then.
    public private(set) var isFinished = false

    /// - Throws: ``TrackError`` `.invalid` unless the identifier is 1 to 64 lower-case ASCII letters,
    ///   digits and hyphens.
    public init(id: String, _ draft: SessionDraft, created: Timestamp) throws(TrackError) {
        let isName = id.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        guard (1...64).contains(id.utf8.count), isName else {
            throw TrackError(.invalid, "The identifier of a session is a short name.")
        }
        (self.id, self.draft, self.created) = (id, draft, created)
    }

    public var name: String { draft.name }
    public var description: String { draft.description }
    public var sensors: [SensorID] { draft.sensors }

    /// Starts, pauses, resumes or finishes it.
    ///
    /// A time before the end of the last span counts as that end, since the wall clock may be set back.
    /// - Throws: ``TrackError`` `.wrongState`, and nothing changes.
    public mutating func apply(_ step: SessionStep, at time: Timestamp) throws(TrackError) {
        guard !isFinished else {
            throw TrackError(.wrongState, "A session that has ended does not start again.")
        }
        let next = try step.applied(to: state)
        if let activeSince {
            spans.append(TimeRange(from: activeSince, to: time))
        }
        activeSince = next == .active ? max(time, spans.last?.to ?? time) : nil
        isFinished = step == .finish
        state = next
    }

    /// Changes its words, and its sensors as long as it has not begun.
    ///
    /// - Throws: ``TrackError`` `.wrongState` for other sensors of a session that has begun.
    public mutating func update(_ draft: SessionDraft) throws(TrackError) {
        guard draft.sensors == sensors || (state == .inactive && !isFinished) else {
            throw TrackError(.wrongState, "The sensors of a session are chosen before it begins.")
        }
        self.draft = draft
    }

    /// When it was active until now.
    public func spans(until now: Timestamp) -> [TimeRange] {
        spans + (activeSince.map { [TimeRange(from: $0, to: now)] } ?? [])
    }

    /// Whether a sample of one of its sensors belongs to it.
    public func holds(_ sensor: SensorID, at time: Timestamp) -> Bool {
        guard sensors.contains(where: { $0.covers(sensor) }) else { return false }
        if let activeSince, time >= activeSince { return true }
        return spans.contains { $0.contains(time) }
    }
}
