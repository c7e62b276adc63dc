public import Samples

/// The owner's answer to a privilege.
public enum Decision: Hashable, Sendable {
    /// Granted until the run ends.
    case allowOnce
    /// Granted until changed.
    case allowAlways
    /// Granted for aggregates only, until changed.
    case statisticsOnly
    /// Denied until the run ends.
    case denyOnce
    /// Denied until changed.
    case deny
    /// Granted under terms, until changed.
    case allow(Terms)

    /// Whether it ends with the run.
    var isOnce: Bool { self == .allowOnce || self == .denyOnce }

    /// The conditions under which it grants a privilege; `nil` when it denies it.
    ///
    /// - Throws: `invalidPrivilege` when the terms exceed the privilege, or have no meaning for it.
    func terms(for privilege: PrivilegeID) throws(AuthError) -> Terms? {
        let terms: Terms
        switch self {
        case .deny, .denyOnce: return nil
        case .allowOnce, .allowAlways: return Terms(access: privilege.access ?? .raw)
        case .statisticsOnly: terms = Terms(access: .stats)
        case .allow(let given): terms = given
        }
        guard let access = privilege.access else {
            try terms.checkMeaning(for: privilege)
            return terms
        }
        guard access.includes(terms.access) else {
            throw AuthError(
                .invalidPrivilege, "\(privilege) cannot be granted as \(terms.access.rawValue).")
        }
        return terms
    }
}

/// The conditions of a grant.
public struct Terms: Hashable, Sendable {
    /// The access that is granted.
    public var access: Access
    /// The maximum number of samples per second that may be read; `nil` for all.
    public var maximumRate: Double?
    /// Numbers are rounded to multiples of this, in the field's unit; `nil` for no rounding.
    public var precision: Double?
    /// Steps to which numbers are then rounded, one after the other; only holders of a token who narrow it
    /// add any.
    var furtherPrecisions: [Double] = []
    /// The greatest age of samples that may be read; `nil` for any.
    public var history: Duration?
    /// When the grant ends; `nil` for never.
    public var expires: Timestamp?
    /// Whether it also holds for runs in the background.
    public var background: Bool
    /// The sensors of the kind to which the grant is limited; `nil` for all, including those added later.
    public var only: InstanceChoice?

    /// - Parameters:
    ///   - maximumRate: samples per second.
    ///   - precision: in the field's unit.
    public init(
        access: Access, maximumRate: Double? = nil, precision: Double? = nil,
        history: Duration? = nil, expires: Timestamp? = nil, background: Bool = true,
        only: InstanceChoice? = nil
    ) {
        self.access = access
        self.maximumRate = maximumRate
        self.precision = precision
        self.history = history
        self.expires = expires
        self.background = background
        self.only = only
    }

    /// Whether these terms allow only what the other terms allow.
    func isWithin(_ other: Terms) -> Bool {
        func isWithin<T: Comparable>(_ limit: T?, _ other: T?) -> Bool {
            other.map { other in limit.map { $0 <= other } ?? false } ?? true
        }
        // Rounding to another step, even to a larger one, can reveal what rounding to the other terms'
        // step hides.
        let isAsCoarse = other.precision == nil || precision == other.precision
        let choice = other.only.map { other in
            only.map { Set($0.chosen).isSubset(of: other.chosen) } ?? false
        }
        return other.access.includes(access) && isWithin(maximumRate, other.maximumRate)
            && isWithin(history, other.history) && isWithin(expires, other.expires)
            && isAsCoarse && (choice ?? true) && (other.background || !background)
    }

    /// Checks the terms of a privilege that is not for a sensor: it has neither samples nor statistics.
    fileprivate func checkMeaning(for privilege: PrivilegeID) throws(AuthError) {
        guard privilege.isGrantable else {
            throw AuthError(.invalidPrivilege, "\(privilege) cannot be granted.")
        }
        let invalid = [
            (access == .stats, "statistics only"), (access == .write, "write"),
            (maximumRate != nil, "rate"),
            (precision != nil, "precision"), (history != nil, "history"), (only != nil, "only"),
        ].first(where: \.0)
        guard let (_, name) = invalid else { return }
        throw AuthError(
            .invalidPrivilege,
            "The term \(name) is for sensors; a grant of \(privilege) can end at a time and exclude"
                + " the background.",
            hint: [.sessions(.read), .sessions(.write)].contains(privilege)
                ? "The samples of a session need grants for its sensors, such as sensor:steps:stats."
                : nil,
            privilege: privilege)
    }
}

/// The sensors of a kind that the owner chose, and those that existed then and were not chosen.
///
/// It does not apply to sensors that were added later: they need a decision of their own.
public struct InstanceChoice: Hashable, Sendable {
    /// The maximum number of sensors of one choice, excluded ones included.
    public static let limit = 256

    /// The status of a sensor of the kind in a choice.
    enum Status: Hashable {
        case chosen
        /// The name covers more than one sensor, some of which are chosen.
        case several
        case excluded
        /// The sensor did not exist when the owner chose.
        case undecided
    }

    /// Sorted, without duplicates.
    public let chosen: [SensorID]
    /// The sensors that were not chosen; sorted, without duplicates.
    public let excluded: [SensorID]

    /// - Parameter others: all sensors that existed; chosen ones among them are ignored.
    public init(_ chosen: [SensorID], excluding others: [SensorID] = []) {
        let wanted = Set(chosen)
        self.chosen = wanted.sorted()
        excluded = Set(others).subtracting(wanted).sorted()
    }

    /// The chosen sensors that a name covers.
    func chosen(by name: SensorID) -> [SensorID] {
        chosen.contains(name) ? [name] : chosen.filter(name.covers)
    }

    func status(of sensor: SensorID) -> Status {
        if chosen.contains(sensor) { return .chosen }
        if chosen.contains(where: sensor.covers) { return .several }
        return excluded.contains(sensor) ? .excluded : .undecided
    }

    /// The part that a narrower name covers; `nil` when nothing of it was chosen.
    func narrowed(to name: SensorID) -> InstanceChoice? {
        let rest = chosen.filter(name.covers)
        guard !rest.isEmpty else { return nil }
        return InstanceChoice(rest, excluding: excluded.filter(name.covers))
    }
}

/// A stored decision about a privilege of a client.
public struct PermissionRecord: Hashable, Sendable {
    /// The W3C permission states that a decision can have.
    public enum State: String, Hashable, Sendable {
        /// Allowed.
        case granted
        /// Not allowed.
        case denied
    }

    /// The client's name.
    public let client: String
    /// The privilege that was decided about.
    public let privilege: PrivilegeID
    /// Allowed or not.
    public let state: State
    /// The conditions; `nil` for a denial.
    public let terms: Terms?
    /// The run that it is limited to; `nil` when it holds until changed.
    public let run: String?
    /// When the owner decided.
    public let decided: Timestamp
    /// The identity of the app that was decided about; empty for a program.
    var identity = ""

    func isExpired(at now: Timestamp) -> Bool {
        terms?.expires.map { $0 <= now } ?? false
    }

    /// Whether the decision applies to a client: it is for the client's run or for all runs.
    func applies(to client: Client) -> Bool { run == nil || run == client.run }

    /// The status that a sensor covered by the privilege has in the choice of the grant.
    func choiceStatus(of sensor: SensorID) -> InstanceChoice.Status {
        terms?.only?.status(of: sensor) ?? .chosen
    }

    /// The same decision about a part of its privilege; `nil` when it does not apply to that part.
    func narrowed(to privilege: PrivilegeID) -> PermissionRecord? {
        var terms = terms
        if let access = privilege.access, let given = terms?.access {
            guard given.includes(access) || access.includes(given) else { return nil }
            terms?.access = given.includes(access) ? access : given
        }
        if let choice = terms?.only, let sensor = privilege.sensor {
            guard let rest = choice.narrowed(to: sensor) else { return nil }
            terms?.only = rest
        }
        return PermissionRecord(
            client: client, privilege: privilege, state: state, terms: terms, run: run,
            decided: decided, identity: identity)
    }
}

/// The state of a privilege for a client, in the terms of the W3C Permissions API.
public enum PermissionState: String, Hashable, Sendable {
    /// Allowed.
    case granted
    /// Not allowed.
    case denied
    /// Undecided; the owner can be asked.
    case prompt
}

/// The state of a sensor for a client: the states of the W3C Permissions API, and `statistics`.
public enum SensorPermission: String, Hashable, Sendable {
    /// Samples may be read.
    case granted
    /// Only aggregates may be read.
    case statistics
    /// Nothing may be read.
    case denied
    /// Undecided; the owner can be asked.
    case prompt
}
