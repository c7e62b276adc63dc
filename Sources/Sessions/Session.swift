public import Samples

/// A workout, a trip or a measurement.
///
/// It contains no samples: samples of its sensors with times in its active intervals (``spans``) belong to it.
///
/// ```swift
/// let draft = try SessionDraft(name: "Lunch walk", sensors: ["location", "steps"])
/// var session = try Session(id: "lunch-walk", draft, created: .now())
/// try session.apply(.start, at: .now())
/// ```
public struct Session: Hashable, Sendable {
    /// The identifier, chosen by the creator so that it is unique across machines.
    public let id: String
    /// When it was created.
    public let created: Timestamp
    /// Its name, description and sensors.
    public private(set) var draft: SessionDraft
    /// Its current state.
    public private(set) var state = SessionState.inactive
    /// When it was active, up to the last pause; in order of time, without overlaps.
    public private(set) var spans: [TimeRange] = []
    /// The start of the current span; `nil` unless it is active.
    public private(set) var activeSince: Timestamp?
    /// Whether it was finished; then only its name and description can change.
    public private(set) var isFinished = false

    /// Creates a session that has not begun.
    ///
    /// - Throws: `invalid` unless the identifier consists of 1 to 64 lower-case ASCII letters,
    ///   digits and hyphens.
    public init(id: String, _ draft: SessionDraft, created: Timestamp) throws(SessionsError) {
        let isName = id.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        guard (1...64).contains(id.utf8.count), isName else {
            throw SessionsError(
                .invalid,
                "The identifier of a session consists of 1 to 64 lower-case letters, digits and hyphens."
            )
        }
        (self.id, self.draft, self.created) = (id, draft, created)
    }

    /// The name.
    public var name: String { draft.name }
    /// The description; may be empty.
    public var description: String { draft.description }
    /// The sensors whose samples belong to it.
    public var sensors: [SensorID] { draft.sensors }

    /// Starts, pauses, resumes or finishes the session.
    ///
    /// A time before the end of the last span is replaced by that end, since the wall clock may be
    /// set back.
    ///
    /// - Throws: `wrongState`; nothing changes then.
    public mutating func apply(_ step: SessionStep, at time: Timestamp) throws(SessionsError) {
        guard !isFinished else {
            throw SessionsError(.wrongState, "A session that has ended cannot be started again.")
        }
        let next = try step.applied(to: state)
        if let activeSince {
            spans.append(TimeRange(from: activeSince, to: time))
        }
        activeSince = next == .active ? max(time, spans.last?.to ?? time) : nil
        isFinished = step == .finish
        state = next
    }

    /// Changes name and description, and before the start the sensors.
    ///
    /// - Throws: `wrongState` for other sensors of a session that has begun.
    public mutating func update(_ draft: SessionDraft) throws(SessionsError) {
        guard draft.sensors == sensors || (state == .inactive && !isFinished) else {
            throw SessionsError(
                .wrongState, "The sensors of a session cannot change after its start.")
        }
        self.draft = draft
    }

    /// The spans including the current one, up to now.
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

/// The name, description and sensors of a session.
public struct SessionDraft: Hashable, Sendable {
    /// The maximum number of characters of a name and of a description, and of sensors.
    public static let limits = (name: 100, description: 2000, sensors: 64)

    /// The name, without surrounding whitespace.
    public let name: String
    /// The description; may be empty.
    public let description: String
    /// The sensors whose samples belong to it; several instances of a kind are allowed.
    public let sensors: [SensorID]

    /// Creates a draft.
    ///
    /// - Throws: `invalid` for an empty or too long name, for control characters (except line
    ///   breaks and tabs in the description), and for no, duplicate or too many sensors.
    public init(name: String, description: String = "", sensors: [SensorID]) throws(SessionsError) {
        var name = name[...]
        while name.first?.isWhitespace == true { name.removeFirst() }
        while name.last?.isWhitespace == true { name.removeLast() }
        guard (1...Self.limits.name).contains(name.count), name.utf8.count <= Self.limits.name * 8
        else {
            throw SessionsError(.invalid, "The name of a session has 1 to 100 characters.")
        }
        guard description.count <= Self.limits.description,
            description.utf8.count <= Self.limits.description * 8
        else {
            throw SessionsError(
                .invalid, "The description of a session has at most 2000 characters.")
        }
        let controls = description.unicodeScalars.filter { !"\n\r\t".unicodeScalars.contains($0) }
        guard
            (name.unicodeScalars + controls).allSatisfy({
                $0.properties.generalCategory != .control
            })
        else {
            throw SessionsError(
                .invalid, "The name or description of a session has control characters.")
        }
        guard (1...Self.limits.sensors).contains(sensors.count),
            Set(sensors).count == sensors.count
        else {
            throw SessionsError(.invalid, "A session has 1 to 64 different sensors.")
        }
        (self.name, self.description, self.sensors) = (String(name), description, sensors)
    }
}

/// The state of a session or route.
public enum SessionState: String, Hashable, Sendable, CaseIterable, Codable {
    /// Not started, or finished.
    case inactive
    /// Recording.
    case active
    /// Interrupted.
    case paused
}

/// A step of a session or route.
public enum SessionStep: String, Hashable, Sendable, CaseIterable, Codable {
    /// Begins it.
    case start
    /// Interrupts it.
    case pause
    /// Continues it after a pause.
    case resume
    /// Ends it.
    case finish

    /// The state after this step.
    ///
    /// - Throws: `wrongState` if the state does not allow it.
    public func applied(to state: SessionState) throws(SessionsError) -> SessionState {
        switch (self, state) {
        case (.start, .inactive), (.resume, .paused): return .active
        case (.pause, .active): return .paused
        case (.finish, .active), (.finish, .paused): return .inactive
        default:
            throw SessionsError(
                .wrongState, "\(rawValue) is not possible while the session is \(state.rawValue).")
        }
    }
}

/// A duration as text: `1 hrs 2 mins 3 secs`, or `2 min 3 secs` below an hour.
public struct ElapsedText: Hashable, Sendable, CustomStringConvertible {
    /// The text, such as `1 hrs 2 mins 3 secs`.
    public let description: String

    /// Creates the text of a duration, truncated to whole seconds; negative ones count as zero.
    public init(_ elapsed: Duration) {
        let seconds = max(0, elapsed.components.seconds)
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        description =
            hours > 0
            ? "\(hours) hrs \(minutes) mins \(seconds % 60) secs"
            : "\(minutes) min \(seconds % 60) secs"
    }
}
