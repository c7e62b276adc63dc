import API
import Auth
import Foundation
import Hummingbird

/// What stands for an app's `localStorage` where no browser keeps one.
struct LocalStorageRoutes {
    /// The most bytes of a body: as many as a runner can send.
    private static let bodyLimit = 1 << 20

    let door: Door

    func add(to routes: inout RouteTable) {
        routes.on(.localStorage, [.get: load, .patch: change, .delete: clear])
    }

    @Sendable
    private func load(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("local-storage", using: .storage, request, context)
        let (entries, usage) = try await door.authority.storedContents(of: .local, for: client)
        let items = entries.map { key, value in
            [key.text, String(decoding: value.bytes, as: UTF8.self)]
        }
        return try .json(
            LocalStorageContents(
                items: items, used: usage.used, limit: StorageUsage.limit))
    }

    /// Takes pairs of key and value; a key without a value is removed.
    @Sendable
    private func change(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("local-storage-set", using: .storage, request, context)
        let changes = try Self.changes(in: await request.bytes(upTo: Self.bodyLimit))
        let usage = try await door.authority.store(
            changes, in: .local,
            for: door.client(client, still: "local-storage-set", using: .storage, request, context))
        return try .json(LocalStorageContents(used: usage.used, limit: StorageUsage.limit))
    }

    @Sendable
    private func clear(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("local-storage-clear", using: .storage, request, context)
        let usage = try await door.authority.clearStorage(.local, of: client)
        return try .json(LocalStorageContents(used: usage.used, limit: StorageUsage.limit))
    }

    /// Not by the strict reader: texts of apps may hold what it refuses, such as marks upon marks, and
    /// nothing here is compared but bytes.
    private static func changes(in body: [UInt8]) throws -> [StorageChange] {
        guard let pairs = try? JSONDecoder().decode([[String?]].self, from: Data(body)) else {
            throw Problem.invalidBody("A list of pairs of key and value is needed.")
        }
        return try pairs.map { pair in
            guard pair.count == 2, let key = pair[0] else {
                throw Problem.invalidBody("Each pair is a key and a value, or a key and null.")
            }
            let value = pair[1].map {
                StoredValue(type: FileType.text.rawValue, bytes: Array($0.utf8))
            }
            return StorageChange(try StorageKey(key), value)
        }
    }
}
