import GRDB

extension AuthDatabase {
    /// The apps that are known, by name.
    func apps() async throws -> [String: Authority.AdmittedApp] {
        try await queue.read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT name, identity, declared FROM client WHERE kind = ?",
                arguments: [Client.Kind.app.rawValue])
            return Dictionary(
                uniqueKeysWithValues: rows.map { row in
                    let declared: String? = row["declared"]
                    return (
                        row["name"] as String,
                        Authority.AdmittedApp(
                            identity: row["identity"],
                            privileges: declared.map { DeclaredApp.privileges(in: $0) },
                            asksAtFirstUse: declared.map { DeclaredApp.asksAtFirstUse($0) } ?? false
                        )
                    )
                })
        }
    }

    /// Keeps who an app is, what it declares, and what of its decisions is left, in one step.
    ///
    /// - Parameters:
    ///   - old: the decisions that were in force.
    ///   - new: those that are from now on; all others of the app go, also those of other identities.
    func keep(
        _ app: DeclaredApp, removing old: [PermissionRecord], adding new: [PermissionRecord]
    ) async throws {
        try await queue.write { database in
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
            for record in new where !old.contains(record) { try Self.insert(record, in: database) }
            try database.execute(
                sql: "UPDATE client SET identity = ?, declared = ? WHERE name = ?",
                arguments: [app.identity, app.declaration, app.name])
        }
    }
}
