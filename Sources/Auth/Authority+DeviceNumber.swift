import Foundation
import GRDB

extension Authority {
    /// The made-up number by which an app knows this machine again: a random UUID, another one for
    /// every app, gone with the app and with what was decided about it.
    ///
    /// - Throws: `notFound` when there is no such client, `storeFailed`.
    public func deviceNumber(for client: Client) async throws(AuthError) -> String {
        guard clients[client.name] != nil else {
            throw AuthError(.notFound, "Only apps and clients have a number, not \(client.name).")
        }
        let identity = apps[client.name]?.identity ?? ""
        do {
            return try await database.deviceNumber(of: client.name, identity)
        } catch {
            throw AuthError(wrapping: error, while: "making a number for \(client.name)")
        }
    }
}

extension AuthDatabase {
    /// The number of a client, made now where it has none or the one there is another app's.
    fileprivate func deviceNumber(of client: String, _ identity: String) async throws -> String {
        try await queue.write { database in
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
