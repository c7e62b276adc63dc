import Samples

/// The current decisions and their consequences: pure functions of decisions, policy and time.
struct PermissionTable: Sendable {
    /// Blocks privileges regardless of decisions.
    var policy: Policy
    private var records: [String: [Key: PermissionRecord]] = [:]

    private struct Key: Hashable {
        let privilege: PrivilegeID
        let run: String?
    }

    /// The result of a check.
    enum Verdict: Hashable {
        case granted(Terms)
        /// Denied by the decision about this privilege.
        case denied(PrivilegeID)
        /// The decision about this privilege grants aggregates only.
        case statisticsOnly(PrivilegeID)
        /// The decision about this privilege does not hold for runs in the background.
        case notInBackground(PrivilegeID)
        /// The decision about this privilege grants these sensors, of which the request names none
        /// or more than one.
        case notChosen(PrivilegeID, [SensorID])
        /// The holder of the client's token has narrowed it, and it does not include this use.
        case narrowed
        /// Blocked by the policy.
        case restricted
        case undecided

        var isGrant: Bool { if case .granted = self { true } else { false } }
    }

    init(_ records: [PermissionRecord], policy: Policy = Policy()) {
        self.policy = policy
        for record in records { insert(record) }
    }

    /// Adds a decision; a lasting one replaces those for single runs.
    mutating func insert(_ record: PermissionRecord) {
        if record.run == nil { remove(record.privilege, of: record.client) }
        records[record.client, default: [:]][Key(privilege: record.privilege, run: record.run)] =
            record
    }

    /// Removes the decisions about a privilege, those for single runs included.
    mutating func remove(_ privilege: PrivilegeID, of client: String) {
        records[client] = records[client]?.filter { $0.key.privilege != privilege }
    }

    mutating func remove(client: String) {
        records[client] = nil
    }

    mutating func remove(run: String) {
        records = records.mapValues { $0.filter { $0.key.run != run } }
    }

    /// Whether a decision allows nothing that was not allowed before: it denies, or narrows the grant that it
    /// replaces.
    func isRestricted(by record: PermissionRecord, at now: Timestamp) -> Bool {
        guard let terms = record.terms else { return true }
        let key = Key(privilege: record.privilege, run: record.run)
        guard let old = records[record.client]?[key], !old.isExpired(at: now),
            let before = old.terms
        else { return false }
        return terms.isWithin(before)
    }

    /// The decisions about a client, sorted by privilege; those for a run after the lasting ones.
    func all(of client: String) -> [PermissionRecord] {
        (records[client] ?? [:]).values.sorted {
            ($0.privilege.description, $0.run ?? "") < ($1.privilege.description, $1.run ?? "")
        }
    }

    /// Sorted by name.
    var clients: [String] { records.keys.sorted() }

    /// Checks the use of a sensor.
    ///
    /// Denials have precedence over grants. A denial of less access also denies more access; a grant of
    /// more access also grants less.
    ///
    /// A narrowed token gets what is left of the grant of its parent.
    func verdict(on request: AccessRequest, by client: Client, at now: Timestamp) -> Verdict {
        guard let attenuation = client.attenuation else {
            return decided(request, by: client, at: now)
        }
        guard attenuation.covers(request.sensor) else { return .narrowed }
        let verdict = decided(request, by: client, at: now)
        guard case .granted(let terms) = verdict else { return verdict }
        return attenuation.narrowed(terms, for: request.access).map { .granted($0) } ?? .narrowed
    }

    private func decided(
        _ request: AccessRequest, by client: Client, at now: Timestamp
    ) -> Verdict {
        guard policy.restriction(of: request.privilege) == nil else { return .restricted }
        let relevant = all(of: client.name).filter { record in
            guard let sensor = record.privilege.sensor else { return false }
            return sensor.covers(request.sensor) && record.applies(to: client)
        }
        for record in relevant where record.state == .denied {
            if record.privilege.access.map(request.access.includes) == true {
                return .denied(record.privilege)
            }
        }
        let grants = relevant.filter { record in
            record.state == .granted && !record.isExpired(at: now)
                && record.choiceStatus(of: request.sensor) != .undecided
        }
        let rivals = grants.filter { $0.privilege.access?.includes(request.access) == true }
        // The grant for the most specific sensor counts; of several equally specific ones, the widest.
        let depth = rivals.map(Self.depth).max()
        let deepest = rivals.filter { Self.depth($0) == depth }
        let granted = deepest.filter { record in
            record.choiceStatus(of: request.sensor) == .chosen
                && record.terms?.access.includes(request.access) == true
        }.max { Self.rank($0) < Self.rank($1) }
        if let granted, var found = granted.terms {
            // The policy may block samples and allow statistics.
            let samples = PrivilegeID.sensor(request.sensor, .raw)
            if found.access == .raw, policy.restriction(of: samples) != nil {
                found.access = .stats
            }
            let holds = found.background || client.isForeground
            return holds ? .granted(found) : .notInBackground(granted.privilege)
        }
        let aggregates = (deepest + grants).first { record in
            record.terms?.access == .stats && record.choiceStatus(of: request.sensor) != .excluded
        }
        if request.access == .raw, let aggregates { return .statisticsOnly(aggregates.privilege) }
        guard let choice = deepest.first(where: { $0.choiceStatus(of: request.sensor) != .chosen }),
            let chosen = choice.terms?.only?.chosen
        else { return .undecided }
        return .notChosen(choice.privilege, chosen)
    }

    /// The sensor that a client refers to by a name: when the owner chose one sensor of a kind, the
    /// name of the kind refers to that sensor.
    ///
    /// Decisions for the run come first, then those about the most specific name.
    func resolve(
        _ name: SensorID, for access: Access, by client: Client, at now: Timestamp
    ) -> SensorID {
        let choices = all(of: client.name).filter { record in
            record.state == .granted && record.terms?.only != nil && !record.isExpired(at: now)
                && record.applies(to: client) && record.privilege.sensor?.covers(name) == true
                && record.privilege.access?.includes(access) == true
        }
        let first = choices.max { left, right in
            (left.run == nil ? 0 : 1, Self.depth(left))
                < (right.run == nil ? 0 : 1, Self.depth(right))
        }
        let isInstance = choices.contains { $0.choiceStatus(of: name) == .chosen }
        guard !isInstance, let chosen = first?.terms?.only?.chosen(by: name),
            chosen.count == 1, client.includes(chosen[0])
        else { return name }
        return chosen[0]
    }

    /// Checks the use of a privilege other than a sensor.
    func verdict(on privilege: PrivilegeID, by client: Client, at now: Timestamp) -> Verdict {
        guard client.attenuation == nil else { return .narrowed }
        guard policy.restriction(of: privilege) == nil else { return .restricted }
        let relevant = all(of: client.name).filter { record in
            privilege.isDecided(by: record.privilege) && record.applies(to: client)
        }
        if let denial = relevant.first(where: { $0.state == .denied }) {
            return .denied(denial.privilege)
        }
        let grants = relevant.filter { $0.privilege == privilege && !$0.isExpired(at: now) }
        guard let terms = grants.first?.terms else { return .undecided }
        return terms.background || client.isForeground
            ? .granted(terms) : .notInBackground(privilege)
    }

    /// The decision that denies some access to a sensor, if there is one.
    func denial(of sensor: SensorID, to client: Client) -> PrivilegeID? {
        all(of: client.name).first { record in
            record.state == .denied && record.applies(to: client)
                && record.privilege.sensor?.covers(sensor) == true
        }?.privilege
    }

    /// Whether the owner can be asked: no decision applies, or only a grant of less access.
    func isOpen(_ request: AccessRequest, by client: Client, at now: Timestamp) -> Bool {
        switch verdict(on: request, by: client, at: now) {
        case .granted, .denied, .notInBackground, .notChosen, .narrowed, .restricted: false
        case .statisticsOnly(let privilege): privilege.access == .stats
        case .undecided: true
        }
    }

    /// Whether a declared privilege is undecided.
    func isUndecided(_ privilege: Privilege, by client: Client, at now: Timestamp) -> Bool {
        guard case .sensor(let sensor, let access) = privilege.resource else {
            return privilege.id.isGrantable
                && verdict(on: privilege.id, by: client, at: now) == .undecided
        }
        let records = all(of: client.name).filter { $0.applies(to: client) }
        if records.contains(where: { $0.privilege == privilege.id && !$0.isExpired(at: now) }) {
            return false
        }
        let request = AccessRequest("ask", of: sensor, access)
        return isOpen(request, by: client, at: now)
    }

    /// Whether a declared privilege is denied, also as part of another privilege, or blocked by the
    /// policy.
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
        case .notChosen(_, let chosen): return !chosen.contains(where: sensor.covers)
        case .granted, .statisticsOnly, .notInBackground, .narrowed, .restricted, .undecided:
            return false
        }
    }

    /// How specific the sensor of a decision is.
    private static func depth(_ record: PermissionRecord) -> Int {
        record.privilege.sensor?.description.utf8.count ?? 0
    }

    private static func rank(_ record: PermissionRecord) -> (Int, Int) {
        (record.terms?.access == .raw ? 1 : 0, record.run == nil ? 1 : 0)
    }
}
