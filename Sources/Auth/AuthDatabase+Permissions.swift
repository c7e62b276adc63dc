import Foundation
import GRDB
import Samples

extension AuthDatabase {
    func clients() async throws -> [String: Client.Kind] {
        try await queue.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT name, kind FROM client")
            let pairs = rows.map { ($0["name"] as String, Client.Kind(rawValue: $0["kind"])) }
            return Dictionary(
                uniqueKeysWithValues: pairs.compactMap { name, kind in
                    kind.map { (name, $0) }
                })
        }
    }

    func keep(client name: String, kind: Client.Kind) async throws {
        try await queue.write { database in
            try database.execute(
                sql: "INSERT OR IGNORE INTO client (name, kind, created) VALUES (?, ?, ?)",
                arguments: [name, kind.rawValue, Timestamp.now().microseconds])
        }
    }

    /// Forgets a client with its permissions and tokens.
    func remove(client name: String) async throws {
        try await queue.write { database in
            try database.execute(sql: "DELETE FROM client WHERE name = ?", arguments: [name])
        }
    }

    func permissions() async throws -> [PermissionRecord] {
        try await queue.read { database in
            // A decision about another identity is none.
            try Row.fetchAll(
                database,
                sql: """
                    SELECT permission.* FROM permission
                    JOIN client ON client.name = permission.client
                      AND client.identity = permission.identity
                    """
            ).compactMap(Self.permission)
        }
    }

    /// Keeps a decision; a lasting one takes the place of those for single runs.
    ///
    /// - Throws: `notFound` when it is about another app than the one that has the name now.
    func keep(_ record: PermissionRecord) async throws {
        try await queue.write { database in
            let identity = try String.fetchOne(
                database, sql: "SELECT identity FROM client WHERE name = ?",
                arguments: [record.client])
            guard identity == record.identity else {
                throw AuthError(.notFound, "\(record.client) was removed or replaced.")
            }
            try Self.insert(record, in: database)
        }
    }

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
                (record.terms?.only?.passedOver).map(Self.text),
            ])
    }

    func removePermission(of client: String, _ privilege: PrivilegeID) async throws {
        try await queue.write { database in
            try database.execute(
                sql: "DELETE FROM permission WHERE client = ? AND privilege = ?",
                arguments: [client, privilege.description])
        }
    }

    /// Forgets what was granted for one run, or for any run when `run` is `nil`, with its token.
    func removeRun(_ run: String?) async throws {
        try await queue.write { database in
            let arguments: StatementArguments = [run]
            try database.execute(
                sql: "DELETE FROM permission WHERE run = ifnull(?, run) AND run <> ''",
                arguments: arguments)
            try database.execute(
                sql: "DELETE FROM token WHERE run = ifnull(?, run)", arguments: arguments)
        }
    }

    func tokens(_ clients: [String: Client.Kind]) async throws -> [TokenRecord] {
        try await queue.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM token").compactMap { row in
                let name: String = row["client"]
                let expires: Int64? = row["expires"]
                guard let kind = clients[name] else { return nil }
                return TokenRecord(
                    id: row["id"], client: Client(name: name, kind: kind, run: row["run"]),
                    created: Timestamp(microseconds: row["created"]),
                    expires: expires.map(Timestamp.init(microseconds:)), digest: row["digest"])
            }
        }
    }

    func keep(_ token: TokenRecord) async throws {
        try await queue.write { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO token (id, digest, client, run, created, expires)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    token.id, token.digest, token.client.name, token.client.run,
                    token.created.microseconds, token.expires?.microseconds,
                ])
        }
    }

    private static func permission(_ row: Row) -> PermissionRecord? {
        guard let privilege = PrivilegeID(row["privilege"]),
            let state = PermissionRecord.State(rawValue: row["state"])
        else { return nil }
        let access: String? = row["access"]
        let history: Int64? = row["history"]
        let expires: Int64? = row["expires"]
        let run: String = row["run"]
        // A list that cannot be read must not become a grant of all.
        guard let only = choice(row) else { return nil }
        var terms: Terms?
        if let access = access.flatMap(Access.init(rawValue:)) {
            terms = Terms(
                access: access, maximumRate: row["maximumRate"], precision: row["precision"],
                history: history.map { .microseconds($0) },
                expires: expires.map(Timestamp.init(microseconds:)), background: row["background"],
                only: only)
        }
        var record = PermissionRecord(
            client: row["client"], privilege: privilege, state: state, terms: terms,
            run: run.isEmpty ? nil : run, decided: Timestamp(microseconds: row["decided"]))
        record.identity = row["identity"]
        return record
    }

    /// Sensors separated by blanks, which no name of one holds.
    private static func text(_ sensors: [SensorID]) -> String {
        sensors.map(\.description).joined(separator: " ")
    }

    /// The instances of a row, which may have none; `nil` where they cannot be read.
    private static func choice(_ row: Row) -> InstanceChoice?? {
        guard let chosen = row["chosen"] as String? else { return .some(nil) }
        let others: String? = row["passedOver"]
        let names = [chosen, others ?? ""].map { $0.split(separator: " ").map(String.init) }
        let sensors = names.map { $0.compactMap(SensorID.init(_:)) }
        guard sensors[0].count == names[0].count, !sensors[0].isEmpty,
            sensors[1].count == names[1].count
        else { return nil }
        return InstanceChoice(sensors[0], passingOver: sensors[1])
    }
}
