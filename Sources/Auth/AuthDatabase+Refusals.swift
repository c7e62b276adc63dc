import GRDB
import Samples

extension AuthDatabase {
    func refusals() async throws -> [Refusal] {
        try await queue.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM refusal").compactMap { row in
                guard let privilege = PrivilegeID(row["privilege"]) else { return nil }
                return Refusal(
                    client: row["client"], privilege: privilege, count: row["count"],
                    refused: Timestamp(microseconds: row["refused"]))
            }
        }
    }

    func keep(_ refusal: Refusal) async throws {
        try await queue.write { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO refusal (client, privilege, count, refused)
                    VALUES (?, ?, ?, ?)
                    """,
                arguments: [
                    refusal.client, refusal.privilege.description, refusal.count,
                    refusal.refused.microseconds,
                ])
        }
    }

    func removeRefusal(of client: String, _ privilege: PrivilegeID) async throws {
        try await queue.write { database in
            try database.execute(
                sql: "DELETE FROM refusal WHERE client = ? AND privilege = ?",
                arguments: [client, privilege.description])
        }
    }
}
