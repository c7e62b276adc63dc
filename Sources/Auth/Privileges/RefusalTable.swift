import Samples

/// The refusals that count towards not asking again.
struct RefusalTable: Sendable {
    private var records: [String: [PrivilegeID: Refusal]] = [:]

    init(_ refusals: [Refusal]) {
        for refusal in refusals { insert(refusal) }
    }

    mutating func insert(_ refusal: Refusal) {
        records[refusal.client, default: [:]][refusal.privilege] = refusal
    }

    mutating func remove(_ privilege: PrivilegeID, of client: String) {
        records[client]?[privilege] = nil
    }

    mutating func remove(client: String) {
        records[client] = nil
    }

    /// Those of a client, by privilege.
    func all(of client: String) -> [Refusal] {
        (records[client] ?? [:]).values.sorted {
            $0.privilege.description < $1.privilege.description
        }
    }

    func clients() -> [String] {
        records.keys.sorted()
    }

    /// How often a client was refused exactly this.
    func count(_ privilege: PrivilegeID, of client: String) -> Int {
        records[client]?[privilege]?.count ?? 0
    }

    /// Whether something other than a sensor is not asked for any more.
    func isFinal(_ privilege: PrivilegeID, of client: String) -> Bool {
        records[client]?[privilege]?.isFinal == true
    }

    /// The refusal after which a client's wish is not put to the person any more.
    ///
    /// Like a denial, one of less access or of a whole kind is also one of more and of an instance.
    func final(_ request: AccessRequest, of client: String) -> Refusal? {
        all(of: client).first { refusal in
            guard refusal.isFinal, let sensor = refusal.privilege.sensor,
                let access = refusal.privilege.access
            else { return false }
            return sensor.covers(request.sensor) && request.access.includes(access)
        }
    }
}
