import Foundation
import GRDB
import Samples

/// The tables of clients, apps and tokens.
struct ClientStore: Sendable {
    let writer: AuthWriter

    /// The kind of each client, by name.
    func kinds() async throws -> [String: Client.Kind] {
        try await writer.read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT name, kind FROM client")
            let pairs = rows.map { ($0["name"] as String, Client.Kind(rawValue: $0["kind"])) }
            return Dictionary(
                uniqueKeysWithValues: pairs.compactMap { name, kind in
                    kind.map { (name, $0) }
                })
        }
    }

    /// Stores a client unless one of that name exists.
    func store(client name: String, kind: Client.Kind, created: Timestamp) async throws {
        try await writer.write { database in
            try database.execute(
                sql: "INSERT OR IGNORE INTO client (name, kind, created) VALUES (?, ?, ?)",
                arguments: [name, kind.rawValue, created.microseconds])
        }
    }

    /// Deletes a client with its decisions and tokens, which must already be revoked in memory.
    func remove(client name: String) async throws {
        try await writer.revoke { database in
            try database.execute(sql: "DELETE FROM client WHERE name = ?", arguments: [name])
        }
    }

    /// The admitted apps, by name.
    func apps() async throws -> [String: AdmittedApp] {
        try await writer.read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT name, identity, declared FROM client WHERE kind = ?",
                arguments: [Client.Kind.app.rawValue])
            return Dictionary(
                uniqueKeysWithValues: rows.map { row in
                    let declared: String? = row["declared"]
                    return (
                        row["name"] as String,
                        AdmittedApp(
                            identity: row["identity"],
                            privileges: declared.map { DeclaredApp.privileges(in: $0) },
                            asksAtFirstUse: declared.map { DeclaredApp.asksAtFirstUse($0) } ?? false
                        )
                    )
                })
        }
    }

    /// Stores an app's identity and declaration and changes its decisions, in one transaction.
    ///
    /// - Parameters:
    ///   - old: the decisions before.
    ///   - new: the decisions from now on; all other decisions about the app are deleted, including those
    ///     about earlier identities.
    func store(
        _ app: DeclaredApp, removing old: [PermissionRecord], adding new: [PermissionRecord]
    ) async throws {
        try await writer.write { database in
            let identity = try String.fetchOne(
                database, sql: "SELECT identity FROM client WHERE name = ?", arguments: [app.name])
            if identity != app.identity {
                for table in ["token", "refusal"] {
                    try database.execute(
                        sql: "DELETE FROM \(table) WHERE client = ?", arguments: [app.name])
                }
            }
            try database.execute(
                sql: "DELETE FROM permission WHERE client = ? AND identity <> ?",
                arguments: [app.name, app.identity])
            for record in old where !new.contains(record) {
                try database.execute(
                    sql: "DELETE FROM permission WHERE client = ? AND privilege = ?",
                    arguments: [app.name, record.privilege.description])
            }
            for record in new where !old.contains(record) {
                try DecisionStore.insert(record, in: database)
            }
            try database.execute(
                sql: "UPDATE client SET identity = ?, declared = ? WHERE name = ?",
                arguments: [app.identity, app.declaration, app.name])
        }
    }

    /// Deletes the token of a run and the decisions for it, or the tokens of all runs and all decisions for
    /// single runs when `run` is `nil`.
    ///
    /// Tokens and decisions must already be revoked in memory.
    func removeRun(_ run: String?) async throws {
        try await writer.revoke { database in
            let arguments: StatementArguments = [run]
            try database.execute(
                sql: "DELETE FROM permission WHERE run = ifnull(?, run) AND run <> ''",
                arguments: arguments)
            try database.execute(
                sql: "DELETE FROM token WHERE run = ifnull(?, run)", arguments: arguments)
        }
    }

    /// The stored tokens of known clients.
    ///
    /// - Parameter clients: the kind of each client, by name.
    func tokens(_ clients: [String: Client.Kind]) async throws -> [TokenRecord] {
        try await writer.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM token").compactMap { row in
                let name: String = row["client"]
                let expires: Int64? = row["expires"]
                guard let kind = clients[name] else { return nil }
                return TokenRecord(
                    id: row["id"], client: Client(name: name, kind: kind, run: row["run"]),
                    created: Timestamp(microseconds: row["created"]),
                    expires: expires.map(Timestamp.init(microseconds:)), digest: row["digest"],
                    rootKey: row["rootKey"])
            }
        }
    }

    func store(_ token: TokenRecord) async throws {
        try await writer.write { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO token (id, digest, client, run, created, expires, rootKey)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    token.id, token.digest, token.client.name, token.client.run,
                    token.created.microseconds, token.expires?.microseconds, token.rootKey,
                ])
        }
    }

    /// The device number of a client; a new one when it has none or the identity has changed.
    func deviceNumber(of client: String, _ identity: String) async throws -> String {
        try await writer.write { database in
            let known = try String.fetchOne(
                database,
                sql: "SELECT number FROM device_number WHERE client = ? AND identity = ?",
                arguments: [client, identity])
            if let known { return known }
            let number = UUID().uuidString.lowercased()
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO device_number (client, identity, number)
                    VALUES (?, ?, ?)
                    """, arguments: [client, identity, number])
            return number
        }
    }
}
