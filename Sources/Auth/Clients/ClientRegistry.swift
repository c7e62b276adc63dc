import Addresses
import AppStorage
import Samples
import Scheduling

/// The stored properties of an admitted app.
struct AdmittedApp: Hashable {
    /// Empty for an app of an earlier version without identities.
    var identity: String
    /// Its declaration; `nil` when unknown.
    var privileges: [Privilege]?
    /// Whether the owner is asked at first use.
    var asksAtFirstUse = false
}

/// The clients and admitted apps, in memory and in the database.
///
/// Owned by `Authority`; its functions run on that actor.
final class ClientRegistry {
    private let store: ClientStore
    private let time: any TimeSource
    private var kinds: [String: Client.Kind]
    private var apps: [String: AdmittedApp]

    init(
        _ kinds: [String: Client.Kind], _ apps: [String: AdmittedApp], store: ClientStore,
        time: any TimeSource
    ) {
        self.kinds = kinds
        self.apps = apps
        self.store = store
        self.time = time
    }

    // MARK: - Reading

    /// The kind of a client; `nil` for an unknown name.
    func kind(of name: String) -> Client.Kind? { kinds[name] }

    /// The stored properties of an app; with an empty identity if it was never admitted.
    func app(_ name: String) -> AdmittedApp { apps[name] ?? AdmittedApp(identity: "") }

    /// The identity of an app; empty for other clients.
    func identity(of name: String) -> String { app(name).identity }

    /// Whether the owner is asked when the client first uses something.
    func asksAtFirstUse(_ client: Client) -> Bool {
        client.kind == .app && app(client.name).asksAtFirstUse
    }

    /// Whether an app declares a privilege or a wider one, or is not required to declare any.
    func declares(_ privilege: PrivilegeID, _ client: Client) -> Bool {
        asksAtFirstUse(client)
            || app(client.name).privileges?.contains { $0.id.covers(privilege) } == true
    }

    /// The privileges that an app declares.
    func declared(by client: Client) -> [PrivilegeID] {
        app(client.name).privileges?.map(\.id) ?? []
    }

    /// The certificate that an app declares for a server.
    func pin(of origin: WebOrigin, for client: Client) -> CertificatePin? {
        for privilege in app(client.name).privileges ?? [] {
            if case .net(origin, let pin) = privilege.resource { return pin }
        }
        return nil
    }

    /// Whether a client of a kind may have a name.
    ///
    /// - Throws: `nameTaken` when a client of another kind has it.
    func checkName(_ name: String, for kind: Client.Kind) throws(AuthError) {
        guard kinds[name] ?? kind == kind else {
            throw AuthError(
                .nameTaken, "A client named \(name) already exists.",
                hint: "Revoke it first with: nervous token revoke \(name)")
        }
    }

    /// - Throws: `notFound` when no app has the name.
    func checkApp(_ name: String) throws(AuthError) {
        guard kinds[name] == .app else {
            throw AuthError(.notFound, "There is no app named \(name).")
        }
    }

    /// - Throws: `notFound` when no client has the name.
    func checkClient(_ name: String) throws(AuthError) {
        guard kinds[name] != nil else {
            throw AuthError(
                .notFound, "There is no app or program named \(name).",
                hint: "List the apps with: nervous apps")
        }
    }

    /// The namespace of the stored values of a client.
    ///
    /// - Throws: `notFound` for the owner and for unknown clients.
    func storageNamespace(_ client: Client) throws(AuthError) -> StorageDatabase.StorageNamespace {
        guard client.kind != .owner, kinds[client.name] == client.kind else {
            throw AuthError(.notFound, "Only apps and programs have storage, not \(client.name).")
        }
        return storageNamespace(named: client.name)
    }

    func storageNamespace(named name: String) -> StorageDatabase.StorageNamespace {
        StorageDatabase.StorageNamespace(app: name, identity: identity(of: name))
    }

    /// All namespaces of stored values that there can be.
    var storageNamespaces: Set<StorageDatabase.StorageNamespace> {
        Set(kinds.keys.map { storageNamespace(named: $0) })
    }

    // MARK: - Changing

    /// Adds a client unless it exists.
    ///
    /// - Throws: `nameTaken` when a client of another kind has the name.
    nonisolated(nonsending) func add(
        _ name: String, as kind: Client.Kind
    ) async throws(AuthError) {
        try checkName(name, for: kind)
        guard kinds[name] == nil else { return }
        do {
            try await store.store(client: name, kind: kind, created: time.now())
        } catch {
            throw AuthError(wrapping: error, while: "storing \(name)")
        }
        kinds[name] = kind
    }

    /// Stores an app and changes its decisions, in one transaction.
    ///
    /// - Returns: whether it took effect; another version may have been admitted during the write.
    nonisolated(nonsending) func admit(
        _ app: DeclaredApp, removing old: [PermissionRecord], adding new: [PermissionRecord]
    ) async throws(AuthError) -> Bool {
        let known = self.app(app.name)
        do {
            try await store.store(app, removing: old, adding: new)
        } catch {
            throw AuthError(wrapping: error, while: "admitting \(app.name)")
        }
        // The app may have been removed during the write.
        guard kinds[app.name] == .app else {
            throw AuthError(.notFound, "\(app.name) was removed.")
        }
        guard self.app(app.name) == known else { return false }
        apps[app.name] = app.admitted
        return true
    }

    /// Removes a client: at once in memory, then with its decisions and tokens from the database.
    nonisolated(nonsending) func remove(_ name: String) async throws(AuthError) {
        kinds[name] = nil
        apps[name] = nil
        do {
            try await store.remove(client: name)
        } catch {
            throw AuthError(unstored: error, "\(name) is removed")
        }
    }

    /// Removes the token of a run and the decisions for it from the database.
    nonisolated(nonsending) func endRun(_ run: String) async throws(AuthError) {
        do {
            try await store.removeRun(run)
        } catch {
            throw AuthError(unstored: error, "The run \(run) has ended")
        }
    }

    /// The device number of a client, created at first use.
    nonisolated(nonsending) func deviceNumber(
        of client: Client
    ) async throws(AuthError) -> String {
        guard kinds[client.name] == client.kind else {
            throw AuthError(
                .notFound, "Only apps and programs have a device number, not \(client.name).")
        }
        do {
            return try await store.deviceNumber(of: client.name, identity(of: client.name))
        } catch {
            throw AuthError(wrapping: error, while: "creating the number of \(client.name)")
        }
    }
}

extension DeclaredApp {
    /// The properties that the registry stores.
    var admitted: AdmittedApp {
        AdmittedApp(
            identity: identity, privileges: privileges, asksAtFirstUse: asksAtFirstUse)
    }
}
