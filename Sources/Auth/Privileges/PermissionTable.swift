import Samples

/// The decisions in force, and what follows from them.
struct PermissionTable: Sendable {
    /// What nobody is given, whatever was decided.
    let policy: Policy
    private var records: [String: [Key: PermissionRecord]] = [:]

    private struct Key: Hashable {
        let privilege: PrivilegeID
        let run: String?
    }

    /// What the decisions say about one request.
    enum Verdict: Hashable {
        case granted(Terms)
        /// Refused by the decision about this privilege.
        case denied(PrivilegeID)
        /// Aggregates are granted by the decision about this privilege, single samples are not.
        case statisticsOnly(PrivilegeID)
        /// Granted by the decision about this privilege only while somebody watches, and nobody does.
        case notInBackground(PrivilegeID)
        /// Granted by the decision about this privilege for these instances, of which the request
        /// names none or more than one.
        case elsewhere(PrivilegeID, [SensorID])
        /// Kept from everybody by the policy.
        case restricted
        case undecided
    }

    init(_ records: [PermissionRecord], policy: Policy = Policy()) {
        self.policy = policy
        for record in records { insert(record) }
    }

    /// Adds a decision; a lasting one takes the place of those for single runs.
    mutating func insert(_ record: PermissionRecord) {
        if record.run == nil { remove(record.privilege, of: record.client) }
        records[record.client, default: [:]][Key(privilege: record.privilege, run: record.run)] =
            record
    }

    /// Forgets the decision about a privilege, those for single runs included.
    mutating func remove(_ privilege: PrivilegeID, of client: String) {
        records[client] = records[client]?.filter { $0.key.privilege != privilege }
    }

    mutating func remove(client: String) {
        records[client] = nil
    }

    mutating func remove(run: String) {
        records = records.mapValues { $0.filter { $0.key.run != run } }
    }

    /// Every decision about a client, by privilege; those for a run after the lasting ones.
    func all(of client: String) -> [PermissionRecord] {
        (records[client] ?? [:]).values.sorted {
            ($0.privilege.description, $0.run ?? "") < ($1.privilege.description, $1.run ?? "")
        }
    }

    func clients() -> [String] {
        records.keys.sorted()
    }

    /// Denial wins over grants; a denial of less access is one of more, a grant of more is one of less.
    func verdict(on request: AccessRequest, by client: Client, at now: Timestamp) -> Verdict {
        guard policy.restriction(of: request.privilege) == nil else { return .restricted }
        let relevant = all(of: client.name).filter { record in
            guard let sensor = record.privilege.sensor else { return false }
            return sensor.covers(request.sensor) && (record.run == nil || record.run == client.run)
        }
        for record in relevant where record.state == .denied {
            if record.privilege.access.map(request.access.includes) == true {
                return .denied(record.privilege)
            }
        }
        // A choice says nothing about what was not there when it was made.
        let grants = relevant.filter { record in
            record.state == .granted && !record.isExpired(at: now)
                && record.opinion(on: request.sensor) != .silent
        }
        let rivals = grants.filter { $0.privilege.access?.includes(request.access) == true }
        // What was decided about the most specific sensor holds; among its equals the widest.
        let depth = rivals.map(Self.depth).max()
        let deepest = rivals.filter { Self.depth($0) == depth }
        let granted = deepest.filter { record in
            record.opinion(on: request.sensor) == .chosen
                && record.terms?.access.includes(request.access) == true
        }.max { Self.rank($0) < Self.rank($1) }
        if let granted, var found = granted.terms {
            // A grant of samples gives finer statistics than one of statistics alone.
            let samples = PrivilegeID(sensor: request.sensor, access: .raw)
            if found.access == .raw, policy.restriction(of: samples) != nil {
                found.access = .stats
            }
            let holds = found.background || client.isWatched
            return holds ? .granted(found) : .notInBackground(granted.privilege)
        }
        let aggregates = (deepest + grants).first { record in
            record.terms?.access == .stats && record.opinion(on: request.sensor) != .passedOver
        }
        if request.access == .raw, let aggregates { return .statisticsOnly(aggregates.privilege) }
        guard let choice = deepest.first(where: { $0.opinion(on: request.sensor) != .chosen }),
            let chosen = choice.terms?.only?.chosen
        else { return .undecided }
        return .elsewhere(choice.privilege, chosen)
    }

    /// The sensor that a client means by a name: where the person chose one instance of a kind for
    /// it, the kind's name stands for that one.
    ///
    /// What holds for the run comes first, then what was decided about the most specific name.
    func sensor(
        meantBy name: SensorID, for access: Access, by client: Client, at now: Timestamp
    ) -> SensorID {
        let choices = all(of: client.name).filter { record in
            record.state == .granted && record.terms?.only != nil && !record.isExpired(at: now)
                && (record.run == nil || record.run == client.run)
                && record.privilege.sensor?.covers(name) == true
                && record.privilege.access?.includes(access) == true
        }
        let first = choices.max { left, right in
            (left.run == nil ? 0 : 1, Self.depth(left))
                < (right.run == nil ? 0 : 1, Self.depth(right))
        }
        let isInstance = choices.contains { $0.opinion(on: name) == .chosen }
        guard !isInstance, let meant = first?.terms?.only?.chosen(by: name), meant.count == 1
        else { return name }
        return meant[0]
    }

    /// What the decisions say about something other than a sensor.
    func verdict(on privilege: PrivilegeID, by client: Client, at now: Timestamp) -> Verdict {
        guard policy.restriction(of: privilege) == nil else { return .restricted }
        let relevant = all(of: client.name).filter { record in
            privilege.isDecided(by: record.privilege)
                && (record.run == nil || record.run == client.run)
        }
        if let denial = relevant.first(where: { $0.state == .denied }) {
            return .denied(denial.privilege)
        }
        let grants = relevant.filter { $0.privilege == privilege && !$0.isExpired(at: now) }
        guard let terms = grants.first?.terms else { return .undecided }
        return terms.background || client.isWatched ? .granted(terms) : .notInBackground(privilege)
    }

    /// The decision that refuses a client some access to a sensor, if there is one.
    func denial(of sensor: SensorID, to client: Client) -> PrivilegeID? {
        all(of: client.name).first { record in
            record.state == .denied && (record.run == nil || record.run == client.run)
                && record.privilege.sensor?.covers(sensor) == true
        }?.privilege
    }

    /// Whether the person can still be asked: nothing was decided, or only about less than this.
    func isOpen(_ request: AccessRequest, by client: Client, at now: Timestamp) -> Bool {
        switch verdict(on: request, by: client, at: now) {
        case .granted, .denied, .notInBackground, .elsewhere, .restricted: false
        case .statisticsOnly(let privilege): privilege.access == .stats
        case .undecided: true
        }
    }

    /// Whether nothing has been decided about a privilege that an app declares.
    func isUndecided(_ privilege: Privilege, by client: Client, at now: Timestamp) -> Bool {
        guard case .sensor(let sensor, let access) = privilege.resource else {
            return privilege.id.isGivable
                && verdict(on: privilege.id, by: client, at: now) == .undecided
        }
        let records = all(of: client.name).filter { $0.run == nil || $0.run == client.run }
        if records.contains(where: { $0.privilege == privilege.id && !$0.isExpired(at: now) }) {
            return false
        }
        let request = AccessRequest("ask", of: sensor, access)
        return isOpen(request, by: client, at: now)
    }

    /// Whether a privilege that an app declares, or one that it is part of, was refused or is kept from
    /// everybody.
    func isDenied(_ privilege: Privilege, to client: Client, at now: Timestamp) -> Bool {
        guard policy.restriction(of: privilege.id) == nil else { return true }
        guard case .sensor(let sensor, let access) = privilege.resource else {
            return all(of: client.name).contains {
                $0.run == nil && privilege.id.isDecided(by: $0.privilege) && $0.state == .denied
            }
        }
        let request = AccessRequest("ask", of: sensor, access)
        switch verdict(on: request, by: client, at: now) {
        case .denied: return true
        case .elsewhere(_, let chosen): return !chosen.contains(where: sensor.covers)
        case .granted, .statisticsOnly, .notInBackground, .restricted, .undecided: return false
        }
    }

    /// How specific the sensor of a decision is, among those that cover the same sensor.
    private static func depth(_ record: PermissionRecord) -> Int {
        record.privilege.sensor?.description.utf8.count ?? 0
    }

    private static func rank(_ record: PermissionRecord) -> (Int, Int) {
        (record.terms?.access == .raw ? 1 : 0, record.run == nil ? 1 : 0)
    }
}

extension PrivilegeID {
    /// Whether a decision about `other` can be one about this: other servers are denied together, too.
    fileprivate func isDecided(by other: PrivilegeID) -> Bool {
        self == other || origin != nil && other == .net
    }
}

extension PermissionRecord {
    func isExpired(at now: Timestamp) -> Bool {
        terms?.expires.map { $0 <= now } ?? false
    }

    /// What a grant says about a sensor that its privilege covers.
    func opinion(on sensor: SensorID) -> InstanceChoice.Opinion {
        terms?.only?.opinion(on: sensor) ?? .chosen
    }
}
