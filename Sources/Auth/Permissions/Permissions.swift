public import Samples

/// A snapshot of the owner's decisions at one moment.
///
/// ```swift
/// let permissions = await authority.permissions
/// if permissions.state(of: .storage, for: client) == .granted { … }
/// for record in permissions.records(of: "curl") { print(record.privilege, record.state) }
/// ```
public struct Permissions: Sendable {
    private let table: PermissionTable
    private let denials: DenialTable
    private let now: Timestamp

    init(_ table: PermissionTable, _ denials: DenialTable, at now: Timestamp) {
        self.table = table
        self.denials = denials
        self.now = now
    }

    /// The privileges that are blocked on this machine.
    public var policy: Policy { table.policy }

    // MARK: - Clients

    /// Checks a privilege; the name of a kind may refer to one sensor that the owner chose.
    func verdict(
        on privilege: PrivilegeID, by client: Client
    ) -> PermissionTable.Verdict {
        guard let sensor = privilege.sensor, let access = privilege.access else {
            return table.verdict(on: privilege, by: client, at: now)
        }
        return verdict(
            on: resolve(AccessRequest("state", of: sensor, access), by: client), by: client)
    }

    /// Checks a resolved request.
    func verdict(on request: AccessRequest, by client: Client) -> PermissionTable.Verdict {
        table.verdict(on: request, by: client, at: now)
    }

    /// The request for the sensor that the client refers to.
    private func resolve(_ request: AccessRequest, by client: Client) -> AccessRequest {
        request.with(resolve(request.sensor, for: request.access, by: client))
    }

    /// The sensors that a request refers to: one, or several of a kind among which the client has to
    /// choose.
    ///
    /// The result is the sensor that the owner chose, otherwise the sensor of exactly the requested name,
    /// otherwise the sensors of the kind that the client may read. If the client may read none of them,
    /// the result is the requested name, so that the refusal reveals no sensor's name.
    ///
    /// - Parameter readable: the sensors that the name refers to on this machine; not used for publishing,
    ///   which is possible only to the sensor of exactly the requested name or to the chosen one.
    func candidates(
        of request: AccessRequest, by client: Client, among readable: [SensorID]
    ) -> [SensorID] {
        let chosen = resolve(request.sensor, for: request.access, by: client)
        guard chosen == request.sensor, request.access != .write, !readable.isEmpty,
            !readable.contains(chosen)
        else { return [chosen] }
        if client.kind == .owner { return readable }
        let mine = readable.filter { isGranted(request.with($0), to: client) }
        guard mine.isEmpty else { return mine }
        // The kind is granted, and each of its sensors is refused: report one of these refusals.
        return isGranted(request, to: client) ? [readable[0]] : [request.sensor]
    }

    private func isGranted(_ request: AccessRequest, to client: Client) -> Bool {
        if case .granted = verdict(on: request, by: client) { true } else { false }
    }

    /// The sensors that a client refers to by a name, for any access: one, or several of a kind among
    /// which it has to choose.
    ///
    /// A kind's name refers to its sensors that the client may read; if there are none, to its sensors
    /// about which there are decisions for the client.
    ///
    /// - Parameter readable: the sensors that the name refers to on this machine.
    public func candidates(
        of name: SensorID, by client: Client, among readable: [SensorID]
    ) -> [SensorID] {
        let chosen = resolve(name, by: client)
        guard chosen == name, !readable.contains(chosen) else { return [chosen] }
        let known = readable.filter { permission(of: client, for: $0) != nil }
        let mine = known.filter { sensor in
            let permission = permission(of: client, for: sensor)
            return permission == .granted || permission == .statistics
        }
        return mine.isEmpty ? (known.isEmpty ? [name] : known) : mine
    }

    /// The sensor that a client refers to by a name: when the owner chose one sensor of a kind, the name
    /// of the kind refers to that sensor.
    public func resolve(_ name: SensorID, for access: Access, by client: Client) -> SensorID {
        client.kind == .owner
            ? name : table.resolve(name, for: access, by: client, at: now)
    }

    /// The sensor that a client refers to by a name, for any access: choices for reading have precedence
    /// over choices for writing.
    public func resolve(_ name: SensorID, by client: Client) -> SensorID {
        [Access.raw, .stats, .write].lazy.map { resolve(name, for: $0, by: client) }
            .first { $0 != name } ?? name
    }

    /// Whether the owner can be asked for a privilege.
    func canAsk(for privilege: PrivilegeID, _ client: Client) -> Bool {
        let isOpen: Bool
        if let sensor = privilege.sensor, let access = privilege.access {
            let request = AccessRequest("ask", of: sensor, access)
            isOpen = table.isOpen(request, by: client, at: now)
        } else {
            isOpen = table.verdict(on: privilege, by: client, at: now) == .undecided
        }
        return isOpen && finalDenial(of: privilege, client.name) == nil
    }

    /// The denial because of which the owner is not asked again.
    func finalDenial(of privilege: PrivilegeID, _ client: String) -> DenialCount? {
        denials.final(privilege, of: client)
    }

    /// The decision that denies some access to a sensor.
    func denial(of sensor: SensorID, to client: Client) -> PrivilegeID? {
        table.denial(of: sensor, to: client)
    }

    /// The state of a privilege; a grant with access `stats` does not grant `raw`.
    ///
    /// - Parameter readable: the sensors that the name in the privilege refers to on this machine.
    public func state(
        of privilege: PrivilegeID, for client: Client, among readable: [SensorID] = []
    ) -> PermissionState {
        if client.kind == .owner { return .granted }
        if let sensor = privilege.sensor, let access = privilege.access {
            let request = AccessRequest("state", of: sensor, access)
            let sensors = candidates(of: request, by: client, among: readable)
            if sensors.contains(where: { isGranted(request.with($0), to: client) }) {
                return .granted
            }
            guard sensors == [sensor] else {
                return canAsk(for: privilege, client) ? .prompt : .denied
            }
        }
        let verdict = verdict(on: privilege, by: client)
        if case .granted = verdict { return .granted }
        // The name covers several sensors that the client may use.
        if case .notChosen(_, let chosen) = verdict, let sensor = privilege.sensor,
            chosen.contains(where: sensor.covers)
        {
            return .granted
        }
        return canAsk(for: privilege, client) ? .prompt : .denied
    }

    /// The state of a privilege that its client sees: a hidden denial looks like a grant.
    ///
    /// - Parameter readable: the sensors that the name in the privilege refers to on this machine.
    public func shownState(
        of privilege: PrivilegeID, for client: Client, among readable: [SensorID] = []
    ) -> PermissionState {
        let state = state(of: privilege, for: client, among: readable)
        return state == .denied && privilege.hidesDenial ? .granted : state
    }

    /// The state of a sensor; `nil` when nothing was decided about it, or only about other sensors of its
    /// kind.
    public func permission(of client: Client, for sensor: SensorID) -> SensorPermission? {
        if client.kind == .owner { return .granted }
        guard client.includes(sensor) else { return nil }
        let isKnown = table.all(of: client.name).contains { record in
            record.privilege.sensor?.covers(sensor) == true
                && record.choiceStatus(of: sensor) == .chosen
        }
        guard isKnown else { return nil }
        switch verdict(on: AccessRequest("permission", of: sensor, .raw), by: client) {
        case .granted: return .granted
        case .statisticsOnly: return .statistics
        case .notInBackground, .notChosen: return .denied
        case .denied, .narrowed, .restricted:
            let stats = AccessRequest("permission", of: sensor, .stats)
            guard case .granted = verdict(on: stats, by: client) else { return .denied }
            return .statistics
        case .undecided: return .prompt
        }
    }

    /// Whether a client may read every sample of a sensor, and therefore see the time of the newest.
    public func seesNewest(of sensor: SensorID, _ client: Client) -> Bool {
        if client.kind == .owner { return true }
        let samples = PrivilegeID.sensor(sensor, .raw)
        guard case .granted(let terms) = verdict(on: samples, by: client) else { return false }
        return terms.maximumRate == nil && terms.history == nil
    }

    /// Whether the owner excluded a sensor when choosing others of its kind, and decided nothing
    /// else about it, or whether a narrowed token does not include it.
    public func isExcluded(_ sensor: SensorID, for client: Client) -> Bool {
        guard client.includes(sensor) else { return true }
        guard client.kind != .owner, permission(of: client, for: sensor) == nil else {
            return false
        }
        return table.all(of: client.name).contains { record in
            record.privilege.sensor?.covers(sensor) == true && record.applies(to: client)
                && record.choiceStatus(of: sensor) == .excluded
        }
    }

    // MARK: - Declared privileges

    /// The decisions about a client, or about all clients for `nil`.
    public func records(of client: String? = nil) -> [PermissionRecord] {
        (client.map { [$0] } ?? table.clients).flatMap { table.all(of: $0) }
    }

    /// The denials for single runs, of a client or of all for `nil`.
    public func denialCounts(of client: String? = nil) -> [DenialCount] {
        (client.map { [$0] } ?? denials.clients).flatMap { denials.all(of: $0) }
    }

    /// The declared privileges for which the owner has to be asked.
    public func undecided(_ declared: [Privilege], by app: String) -> [Privilege] {
        let client = Client(name: app, kind: .app, run: nil)
        return declared.filter {
            table.isUndecided($0, by: client, at: now)
                && finalDenial(of: $0.id, app) == nil
        }
    }

    /// Whether a declared privilege is denied, also by the policy or by repeated denials for single
    /// runs.
    public func isDenied(_ declared: Privilege, to app: String) -> Bool {
        let client = Client(name: app, kind: .app, run: nil)
        return table.isDenied(declared, to: client, at: now)
            || table.isUndecided(declared, by: client, at: now)
                && finalDenial(of: declared.id, app) != nil
    }

    /// The sensors of a declared kind that were added after the owner chose among its sensors, and about
    /// which there is no decision.
    public func newSensors(
        of declared: Privilege, for app: String, among present: [SensorID]
    ) -> [SensorID] {
        guard let kind = declared.id.sensor, let access = declared.id.access else { return [] }
        let hasChosen = table.all(of: app).contains { record in
            record.run == nil && record.privilege == declared.id && record.terms?.only != nil
                && !record.isExpired(at: now)
        }
        guard hasChosen else { return [] }
        return present.filter { sensor in
            let one = Privilege(.sensor(sensor, access), reason: "")
            return kind.covers(sensor) && sensor != kind && !undecided([one], by: app).isEmpty
        }
    }
}
