public import Samples

/// How often the owner denied a privilege for single runs.
///
/// After two such denials the owner is not asked again, until the decision is reset or changed.
public struct DenialCount: Hashable, Sendable {
    /// After this many denials the owner is not asked again.
    public static let limit = 2

    /// The client's name.
    public let client: String
    /// The denied privilege.
    public let privilege: PrivilegeID
    /// At least one.
    public let count: Int
    /// When it was last denied.
    public let last: Timestamp

    /// Whether the owner is not asked again.
    public var isFinal: Bool { count >= Self.limit }
}

/// The denials for single runs, by client and privilege.
struct DenialTable: Sendable {
    private var records: [String: [PrivilegeID: DenialCount]] = [:]

    init(_ denials: [DenialCount]) {
        for denial in denials { insert(denial) }
    }

    /// Sorted by name.
    var clients: [String] { records.keys.sorted() }

    /// The denials of a client, sorted by privilege.
    func all(of client: String) -> [DenialCount] {
        (records[client] ?? [:]).values.sorted {
            $0.privilege.description < $1.privilege.description
        }
    }

    /// How often exactly this privilege was denied.
    func count(_ privilege: PrivilegeID, of client: String) -> Int {
        records[client]?[privilege]?.count ?? 0
    }

    /// The denial because of which the owner is not asked for a privilege again.
    ///
    /// As with lasting denials, a denial of less access also denies more access, and a denial of a kind
    /// also denies its single sensors.
    func final(_ privilege: PrivilegeID, of client: String) -> DenialCount? {
        guard let sensor = privilege.sensor, let access = privilege.access else {
            return records[client]?[privilege].flatMap { $0.isFinal ? $0 : nil }
        }
        return all(of: client).first { denial in
            guard denial.isFinal, let denied = denial.privilege.sensor,
                let deniedAccess = denial.privilege.access
            else { return false }
            return denied.covers(sensor) && access.includes(deniedAccess)
        }
    }

    mutating func insert(_ denial: DenialCount) {
        records[denial.client, default: [:]][denial.privilege] = denial
    }

    mutating func remove(_ privilege: PrivilegeID, of client: String) {
        records[client]?[privilege] = nil
    }

    mutating func remove(client: String) {
        records[client] = nil
    }
}
