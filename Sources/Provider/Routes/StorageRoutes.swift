import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// What an app keeps by name, for that app alone.
struct StorageRoutes {
    private static let typeLimit = 127

    let door: Door

    func add(to routes: inout RouteTable) {
        routes.on(.storage, [.get: list, .delete: clear])
        routes.on(.storage("{key}"), [.get: value, .put: set, .delete: remove])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try refuseEmptyKey(request)
        let client = try await door.client("storage-list", using: .storage, request, context)
        let (items, usage) = try await door.authority.storedItems(for: client)
        return try .json(
            StoredValueList(
                items: items.map { .init(key: $0.key.text, type: $0.type, bytes: $0.size) },
                used: usage.used, limit: StorageUsage.limit))
    }

    @Sendable
    private func clear(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try refuseEmptyKey(request)
        let client = try await door.client("storage-clear", using: .storage, request, context)
        try await door.authority.clearStorage(.named, of: client)
        return Response(status: .noContent)
    }

    @Sendable
    private func value(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("storage-get", using: .storage, request, context)
        guard let value = try await door.authority.storedValue(of: key(context), for: client)
        else { throw Problem.notFound("Nothing is kept under this key.") }
        return Response(
            status: .ok,
            headers: [
                .contentType: value.type,
                // It is the app's, whatever it says it is: never a page of its origin.
                .contentSecurityPolicy: "default-src 'none'; sandbox",
            ], body: .init(byteBuffer: ByteBuffer(bytes: value.bytes)))
    }

    @Sendable
    private func set(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("storage-set", using: .storage, request, context)
        let key = try key(context)
        let value = StoredValue(
            type: try type(of: request), bytes: try await request.bytes(upTo: StoredValue.limit))
        try await door.authority.store(
            [StorageChange(key, value)],
            for: door.client(client, still: "storage-set", using: .storage, request, context))
        return Response(status: .noContent)
    }

    @Sendable
    private func remove(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("storage-remove", using: .storage, request, context)
        try await door.authority.store([StorageChange(key(context), nil)], for: client)
        return Response(status: .noContent)
    }

    // MARK: - Private

    /// A key without a letter must not mean all of them.
    private func refuseEmptyKey(_ request: Request) throws {
        guard !request.uri.path.hasSuffix("/") else {
            throw Problem.invalidKey("it is empty")
        }
    }

    /// The key that the path names, by one spelling only.
    private func key(_ context: ProviderContext) throws -> StorageKey {
        guard let text = context.parameters.get("key")?.removingPercentEncoding else {
            throw Problem.invalidKey("its percent encoding is none of UTF-8")
        }
        guard text != ".", text != ".." else {
            throw Problem.invalidKey("addresses cannot hold it")
        }
        return try StorageKey(text)
    }

    private func type(of request: Request) throws -> String {
        guard let type = request.headers[.contentType] else { return FileType.bytes.rawValue }
        guard type.utf8.count <= Self.typeLimit, type.contains("/"),
            type.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
        else {
            throw Problem.invalidParameter(
                "Content-Type", "a media type of at most \(Self.typeLimit) characters is needed")
        }
        return type
    }
}

extension Door {
    /// The same client once more: permission may have ended while its body came.
    func client(
        _ client: Client, still operation: String, using privilege: PrivilegeID,
        _ request: Request, _ context: ProviderContext
    ) async throws(AuthError) -> Client {
        if await authority.state(of: privilege, for: client) == .granted { return client }
        return try await self.client(operation, using: privilege, request, context)
    }
}

extension Problem {
    fileprivate static func invalidKey(_ reason: String) -> Problem {
        Problem(
            .invalidKey, "The key cannot be used: \(reason).")
    }
}
