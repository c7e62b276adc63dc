import API
import AppStorage
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The values that an app stores by key; each app has its own.
struct StorageRoutes {
    private static let typeLimit = 127

    let authorizer: RequestAuthorizer

    func add(to routes: inout RouteTable) {
        routes.on(.storage, [.get: list, .delete: clear])
        routes.on(.storage("{key}"), [.get: value, .put: set, .delete: remove])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try refuseEmptyKey(request)
        let client = try await authorizer.client("storage-list", using: .storage, request, context)
        let (items, usage) = try await authorizer.authority.storage(of: client).items()
        return try .json(
            StoredValueList(
                items: items.map { .init(key: $0.key.text, type: $0.type, bytes: $0.size) },
                used: usage.used, limit: StorageUsage.limit))
    }

    @Sendable
    private func clear(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try refuseEmptyKey(request)
        let client = try await authorizer.client("storage-clear", using: .storage, request, context)
        try await authorizer.authority.storage(of: client).clear(.storage)
        return Response(status: .noContent)
    }

    @Sendable
    private func value(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("storage-get", using: .storage, request, context)
        let storage = try await authorizer.authority.storage(of: client)
        guard let value = try await storage.value(of: key(context)) else {
            throw Problem.notFound("No value has this key.")
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: value.type,
                // Whatever its type, a value must not be shown as a page of the app's origin.
                .contentSecurityPolicy: "default-src 'none'; sandbox",
            ], body: .init(byteBuffer: ByteBuffer(bytes: value.bytes)))
    }

    @Sendable
    private func set(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("storage-set", using: .storage, request, context)
        let key = try key(context)
        let value = StoredValue(
            type: try type(of: request), bytes: try await request.bytes(upTo: StoredValue.limit))
        let writer = try await authorizer.recheck(
            client, "storage-set", using: .storage, request, context)
        try await authorizer.authority.storage(of: writer).apply([StorageChange(key, value)])
        return Response(status: .noContent)
    }

    @Sendable
    private func remove(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client(
            "storage-remove", using: .storage, request, context)
        let storage = try await authorizer.authority.storage(of: client)
        try await storage.apply([StorageChange(key(context), nil)])
        return Response(status: .noContent)
    }

    // MARK: - Private

    /// An empty key must not mean all values.
    private func refuseEmptyKey(_ request: Request) throws {
        guard !request.uri.path.hasSuffix("/") else {
            throw Problem.invalidKey("it is empty")
        }
    }

    /// The key in the path; each key has exactly one spelling.
    private func key(_ context: ProviderContext) throws -> StorageKey {
        guard let text = context.parameters.get("key")?.removingPercentEncoding else {
            throw Problem.invalidKey("its percent-encoding is not UTF-8")
        }
        guard text != ".", text != ".." else {
            throw Problem.invalidKey("URLs cannot contain it")
        }
        return try StorageKey(text)
    }

    private func type(of request: Request) throws -> String {
        guard let type = request.headers[.contentType] else { return FileType.bytes.rawValue }
        guard type.utf8.count <= Self.typeLimit, type.contains("/"),
            type.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
        else {
            throw Problem.invalidParameter(
                "Content-Type", "must be a media type of at most \(Self.typeLimit) characters")
        }
        return type
    }
}

extension Problem {
    fileprivate static func invalidKey(_ reason: String) -> Problem {
        Problem(.invalidKey, "Invalid key: \(reason).")
    }
}

/// The `localStorage` of apps that run headless.
struct LocalStorageRoutes {
    /// The maximum size of a body in bytes; a runner cannot send a larger one.
    private static let bodyLimit = 1 << 20

    let authorizer: RequestAuthorizer

    func add(to routes: inout RouteTable) {
        routes.on(.localStorage, [.get: load, .patch: change, .delete: clear])
    }

    @Sendable
    private func load(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("local-storage", using: .storage, request, context)
        let (entries, usage) = try await authorizer.authority.storage(of: client)
            .contents(of: .local)
        let items = entries.map { key, value in
            [key.text, String(decoding: value.bytes, as: UTF8.self)]
        }
        return try .json(
            LocalStorageContents(
                items: items, used: usage.used, limit: StorageUsage.limit))
    }

    /// Stores pairs of key and value; a key with `null` is removed.
    @Sendable
    private func change(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client(
            "local-storage-set", using: .storage, request, context)
        let changes = try Self.changes(in: await request.bytes(upTo: Self.bodyLimit))
        let writer = try await authorizer.recheck(
            client, "local-storage-set", using: .storage, request, context)
        let usage = try await authorizer.authority.storage(of: writer).apply(changes, in: .local)
        return try .json(LocalStorageContents(used: usage.used, limit: StorageUsage.limit))
    }

    @Sendable
    private func clear(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client(
            "local-storage-clear", using: .storage, request, context)
        let usage = try await authorizer.authority.storage(of: client).clear(.local)
        return try .json(LocalStorageContents(used: usage.used, limit: StorageUsage.limit))
    }

    /// The strict parser is not used: it rejects texts that apps may store, such as many combining
    /// marks.
    private static func changes(in body: [UInt8]) throws -> [StorageChange] {
        guard let pairs = try? JSONDecoder().decode([[String?]].self, from: Data(body)) else {
            throw Problem.invalidBody("The body must be a list of pairs of key and value.")
        }
        return try pairs.map { try StorageChange(pair: $0) }
    }
}

/// The `indexedDB` of apps that run headless: items of the runner's own format.
struct IndexedDBRoutes {
    /// The maximum size of a body in bytes; a runner cannot send a larger one.
    private static let bodyLimit = 1 << 20
    /// The size in bytes after which an answer ends.
    private static let answerSize = 1 << 20

    let authorizer: RequestAuthorizer

    func add(to routes: inout RouteTable) {
        routes.on(.indexedDB, [.get: load, .patch: change, .delete: clear])
    }

    @Sendable
    private func load(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("indexed-db", using: .storage, request, context)
        try request.rejectParameters(except: ["prefix", "after"])
        let (entries, isMore, usage) = try await authorizer.authority.storage(of: client).contents(
            of: .indexed, prefix: try StorageKey(request.parameter("prefix") ?? ""),
            after: try request.parameter("after").map { try StorageKey($0) },
            upTo: Self.answerSize)
        let items = entries.map { key, value in
            [key.text, String(decoding: value.bytes, as: UTF8.self)]
        }
        return try .json(
            IndexedDBContents(
                items: items, more: isMore, used: usage.used, limit: StorageUsage.limit))
    }

    /// Makes all changes if the expected values are stored, otherwise none.
    @Sendable
    private func change(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client(
            "indexed-db-set", using: .storage, request, context)
        let body = Data(try await request.bytes(upTo: Self.bodyLimit))
        guard let wanted = try? JSONDecoder().decode(IndexedDBChanges.self, from: body) else {
            throw Problem.invalidBody("The body must have the members ‘expected’ and ‘changes’.")
        }
        let changes = try wanted.changes.map { try StorageChange(pair: $0) }
        var expected: [StorageKey: [UInt8]?] = [:]
        for pair in wanted.expected {
            let change = try StorageChange(pair: pair)
            expected.updateValue(change.value?.bytes, forKey: change.key)
        }
        let writer = try await authorizer.recheck(
            client, "indexed-db-set", using: .storage, request, context)
        let usage = try await authorizer.authority.storage(of: writer)
            .apply(changes, in: .indexed, expecting: expected)
        guard let usage else {
            throw Problem(.conflict, "Another run of the app has changed the database.")
        }
        return try .json(LocalStorageContents(used: usage.used, limit: StorageUsage.limit))
    }

    @Sendable
    private func clear(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client(
            "indexed-db-clear", using: .storage, request, context)
        let usage = try await authorizer.authority.storage(of: client).clear(.indexed)
        return try .json(LocalStorageContents(used: usage.used, limit: StorageUsage.limit))
    }
}

extension StorageChange {
    /// - Throws: a problem unless it is a key and a value, or a key and null.
    fileprivate init(pair: [String?]) throws {
        guard pair.count == 2, let key = pair[0] else {
            throw Problem.invalidBody("Each pair is a key and a value, or a key and null.")
        }
        let value = pair[1].map { StoredValue(type: FileType.text.rawValue, bytes: Array($0.utf8)) }
        self.init(try StorageKey(key), value)
    }
}
