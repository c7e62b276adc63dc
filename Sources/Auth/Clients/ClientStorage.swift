public import AppStorage

/// The key-value storage of one app or program.
///
/// ```swift
/// let storage = try await authority.storage(of: client)
/// try await storage.apply([StorageChange(key, value)])
/// let (items, usage) = try await storage.items()
/// ```
public struct ClientStorage: Sendable {
    private let authority: Authority
    private let client: Client
    private let namespace: StorageDatabase.StorageNamespace
    private let database: StorageDatabase

    init(
        _ database: StorageDatabase, namespace: StorageDatabase.StorageNamespace, client: Client,
        authority: Authority
    ) {
        self.database = database
        self.namespace = namespace
        self.client = client
        self.authority = authority
    }

    /// The value of a key; `nil` when there is none.
    ///
    /// - Throws: `storeFailed`.
    public func value(
        of key: StorageKey, in area: StorageArea = .storage
    ) async throws(AuthError) -> StoredValue? {
        do {
            return try await database.value(of: key, in: area, of: namespace)
        } catch {
            throw AuthError(error)
        }
    }

    /// Makes all changes or none; they are durable when this returns.
    ///
    /// - Throws: `tooLarge` for a value above its limit, `storageFull` when the client has reached its
    ///   limit, `diskFull`, `notFound` when the client was removed, `storeFailed`.
    @discardableResult
    public func apply(
        _ changes: [StorageChange], in area: StorageArea = .storage
    ) async throws(AuthError) -> StorageUsage {
        let usage: StorageUsage
        do {
            usage = try await database.apply(changes, in: area, of: namespace)
        } catch {
            throw AuthError(error)
        }
        try await authority.confirm(namespace, of: client)
        return usage
    }

    /// The keys of an area, and the usage of all areas.
    ///
    /// - Throws: `storeFailed`.
    public func items(
        in area: StorageArea = .storage
    ) async throws(AuthError) -> (items: [StoredItem], usage: StorageUsage) {
        do {
            return try await database.items(in: area, of: namespace)
        } catch {
            throw AuthError(error)
        }
    }

    /// Everything in an area, and the usage of all areas.
    ///
    /// - Throws: `storeFailed`.
    public func contents(
        of area: StorageArea
    ) async throws(AuthError) -> (
        entries: [(key: StorageKey, value: StoredValue)], usage: StorageUsage
    ) {
        do {
            return try await database.contents(of: area, of: namespace)
        } catch {
            throw AuthError(error)
        }
    }

    /// Makes all changes if some keys have the expected contents; otherwise none.
    ///
    /// - Parameter expected: the content of each key; `nil` if the key must have no value.
    /// - Returns: `nil` if a key has another content.
    /// - Throws: the same as ``apply(_:in:)``.
    public func apply(
        _ changes: [StorageChange], in area: StorageArea, expecting expected: [StorageKey: [UInt8]?]
    ) async throws(AuthError) -> StorageUsage? {
        let usage: StorageUsage?
        do {
            usage = try await database.apply(changes, in: area, of: namespace, expecting: expected)
        } catch {
            throw AuthError(error)
        }
        try await authority.confirm(namespace, of: client)
        return usage
    }

    /// The first entries of an area whose key begins with a prefix.
    ///
    /// - Parameters:
    ///   - key: only entries after this key.
    ///   - size: the number of bytes after which no further entry is returned.
    /// - Throws: `storeFailed`.
    public func contents(
        of area: StorageArea, prefix: StorageKey, after key: StorageKey?, upTo size: Int
    ) async throws(AuthError) -> (
        entries: [(key: StorageKey, value: StoredValue)], isMore: Bool, usage: StorageUsage
    ) {
        do {
            return try await database.contents(
                of: area, of: namespace, prefix: prefix, after: key, upTo: size)
        } catch {
            throw AuthError(error)
        }
    }

    /// Removes everything in an area.
    ///
    /// - Throws: `storeFailed`.
    @discardableResult
    public func clear(_ area: StorageArea) async throws(AuthError) -> StorageUsage {
        do {
            return try await database.clear(area, of: namespace)
        } catch {
            throw AuthError(error)
        }
    }
}
