import Foundation
import GRDB
import Samples

/// The tables of decisions.
struct DecisionStore: Sendable {
    let writer: AuthWriter

    /// The decisions about the identities that clients have now.
    func records() async throws -> [PermissionRecord] {
        try await writer.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT permission.* FROM permission
                    JOIN client ON client.name = permission.client
                      AND client.identity = permission.identity
                    """
            ).compactMap(Self.record)
        }
    }

    /// Stores a decision; a lasting one replaces those for single runs.
    ///
    /// - Parameters:
    ///   - denials: the new count of denials for single runs; `nil` when it does not change.
    ///   - resetsCount: whether the count of denials is removed.
    ///   - isRevocation: whether the decision has already taken effect, because it is a revocation.
    /// - Throws: `notFound` when the client has another identity now.
    func store(
        _ record: PermissionRecord, counting denials: DenialCount?, resetsCount: Bool,
        isRevocation: Bool
    ) async throws {
        try await writer.perform(isRevocation: isRevocation) { database in
            let identity = try String.fetchOne(
                database, sql: "SELECT identity FROM client WHERE name = ?",
                arguments: [record.client])
            guard identity == record.identity else {
                throw AuthError(.notFound, "\(record.client) was removed or replaced.")
            }
            try Self.insert(record, in: database)
            if let denials { try Self.insert(denials, in: database) }
            if resetsCount {
                try Self.removeCount(of: record.privilege, of: record.client, in: database)
            }
        }
    }

    /// Stores a decision within a transaction.
    static func insert(_ record: PermissionRecord, in database: Database) throws {
        if record.run == nil {
            try database.execute(
                sql: "DELETE FROM permission WHERE client = ? AND privilege = ?",
                arguments: [record.client, record.privilege.description])
        }
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO permission
                (client, privilege, run, state, access, maximumRate, precision, history, expires,
                 background, decided, identity, chosen, passedOver)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                record.client, record.privilege.description, record.run ?? "",
                record.state.rawValue, record.terms?.access.rawValue,
                record.terms?.maximumRate, record.terms?.precision,
                record.terms?.history?.wholeMicroseconds, record.terms?.expires?.microseconds,
                record.terms?.background ?? true, record.decided.microseconds, record.identity,
                (record.terms?.only?.chosen).map(Self.text),
                (record.terms?.only?.excluded).map(Self.text),
            ])
    }

    /// Deletes the decisions about a privilege, including those for single runs and the count of denials.
    ///
    /// - Parameter isRevocation: whether the removal has already taken effect, because it is a revocation.
    func remove(_ privilege: PrivilegeID, of client: String, isRevocation: Bool) async throws {
        try await writer.perform(isRevocation: isRevocation) { database in
            try database.execute(
                sql: "DELETE FROM permission WHERE client = ? AND privilege = ?",
                arguments: [client, privilege.description])
            try Self.removeCount(of: privilege, of: client, in: database)
        }
    }

    /// How often the owner denied privileges for single runs.
    func denialCounts() async throws -> [DenialCount] {
        try await writer.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM refusal").compactMap { row in
                guard let privilege = PrivilegeID(row["privilege"]) else { return nil }
                return DenialCount(
                    client: row["client"], privilege: privilege, count: row["count"],
                    last: Timestamp(microseconds: row["refused"]))
            }
        }
    }

    // MARK: - Private

    private static func insert(_ denials: DenialCount, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO refusal (client, privilege, count, refused)
                VALUES (?, ?, ?, ?)
                """,
            arguments: [
                denials.client, denials.privilege.description, denials.count,
                denials.last.microseconds,
            ])
    }

    private static func removeCount(
        of privilege: PrivilegeID, of client: String, in database: Database
    ) throws {
        try database.execute(
            sql: "DELETE FROM refusal WHERE client = ? AND privilege = ?",
            arguments: [client, privilege.description])
    }

    private static func record(_ row: Row) -> PermissionRecord? {
        guard let privilege = PrivilegeID(row["privilege"]),
            let state = PermissionRecord.State(rawValue: row["state"])
        else { return nil }
        let access: String? = row["access"]
        let history: Int64? = row["history"]
        let expires: Int64? = row["expires"]
        let run: String = row["run"]
        // An unreadable list must not become a grant for all sensors.
        guard let only = choice(row) else { return nil }
        var terms: Terms?
        if let access = access.flatMap(Access.init(rawValue:)) {
            terms = Terms(
                access: access, maximumRate: row["maximumRate"], precision: row["precision"],
                history: history.map { .microseconds($0) },
                expires: expires.map(Timestamp.init(microseconds:)), background: row["background"],
                only: only)
        }
        return PermissionRecord(
            client: row["client"], privilege: privilege, state: state, terms: terms,
            run: run.isEmpty ? nil : run, decided: Timestamp(microseconds: row["decided"]),
            identity: row["identity"])
    }

    /// Sensors separated by spaces, which identifiers cannot contain.
    private static func text(_ sensors: [SensorID]) -> String {
        sensors.map(\.description).joined(separator: " ")
    }

    /// The choice of a row, which may have none; `nil` when it cannot be read.
    private static func choice(_ row: Row) -> InstanceChoice?? {
        guard let chosen = row["chosen"] as String? else { return .some(nil) }
        let others: String? = row["passedOver"]
        let names = [chosen, others ?? ""].map { $0.split(separator: " ").map(String.init) }
        let sensors = names.map { $0.compactMap(SensorID.init(_:)) }
        guard sensors[0].count == names[0].count, !sensors[0].isEmpty,
            sensors[1].count == names[1].count
        else { return nil }
        return InstanceChoice(sensors[0], excluding: sensors[1])
    }
}
