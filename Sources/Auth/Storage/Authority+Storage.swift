/// What apps and clients keep for themselves; nobody else reads it.
extension Authority {
    /// The value of a key; `nil` where there is none.
    ///
    /// - Throws: `notFound` when there is no such client, `storeFailed`.
    public func storedValue(
        of key: StorageKey, for client: Client
    ) async throws(AuthError) -> StoredValue? {
        let owner = try storageOwner(client)
        return try await storing { try await storage.value(of: key, in: .named, of: owner) }
    }

    /// Makes all changes or none; what was answered survives the death of the host.
    ///
    /// - Throws: `tooLarge` for a value that is, `storageFull` when the limit is reached, `diskFull`,
    ///   `notFound` when the client is gone, `storeFailed`.
    @discardableResult
    public func store(
        _ changes: [StorageChange], in area: StorageArea = .named, for client: Client
    ) async throws(AuthError) -> StorageUsage {
        for change in changes {
            let count = change.value?.bytes.count ?? 0
            guard count <= StoredValue.limit else {
                throw AuthError(
                    .tooLarge,
                    "A value has at most \(StoredValue.limit) bytes, and this one \(count).")
            }
        }
        let owner = try storageOwner(client)
        let usage = try await storing {
            try await storage.apply(changes, in: area, of: owner)
        }
        // What was forgotten meanwhile must not come back.
        guard (try? storageOwner(client)) == owner else {
            try await storing {
                try await storage.erase(app: owner.app, besides: apps[owner.app]?.identity)
            }
            throw AuthError(.notFound, "\(client.name) was removed.")
        }
        return usage
    }

    /// The keys of what is kept by name, and how much both areas take.
    public func storedItems(
        for client: Client
    ) async throws(AuthError) -> (items: [StoredItem], usage: StorageUsage) {
        let owner = try storageOwner(client)
        return try await storing { try await storage.items(in: .named, of: owner) }
    }

    /// Everything in an area, and how much both areas take.
    public func storedContents(
        of area: StorageArea, for client: Client
    ) async throws(AuthError) -> (
        entries: [(key: StorageKey, value: StoredValue)], usage: StorageUsage
    ) {
        let owner = try storageOwner(client)
        return try await storing { try await storage.contents(of: area, of: owner) }
    }

    /// Removes everything in an area.
    @discardableResult
    public func clearStorage(
        _ area: StorageArea, of client: Client
    ) async throws(AuthError) -> StorageUsage {
        let owner = try storageOwner(client)
        return try await storing { try await storage.clear(area, of: owner) }
    }

    /// How much an app keeps.
    public func storageUsage(of app: String) async throws(AuthError) -> StorageUsage {
        let owner = AppStorage.Owner(app: app, identity: apps[app]?.identity ?? "")
        return try await storing { try await storage.usage(of: owner) }
    }

    /// Removes what an app has kept under another identity than it has now, or all where it is gone.
    func eraseStorage(of app: String) async throws(AuthError) {
        let identity = apps[app]?.identity
        try await storing { try await storage.erase(app: app, besides: identity) }
    }

    private func storageOwner(_ client: Client) throws(AuthError) -> AppStorage.Owner {
        guard let kind = clients[client.name], kind != .owner else {
            throw AuthError(
                .notFound, "Only apps and clients keep something here, not \(client.name).")
        }
        return AppStorage.Owner(app: client.name, identity: apps[client.name]?.identity ?? "")
    }

    private func storing<T>(_ body: () async throws -> T) async throws(AuthError) -> T {
        do {
            return try await body()
        } catch {
            throw AuthError(wrappingStorage: error)
        }
    }
}
