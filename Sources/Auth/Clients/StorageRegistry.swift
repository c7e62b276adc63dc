import AppStorage
import Foundation
import Logging

/// The stored values of apps and programs, and who owns which.
///
/// Owned by `Authority`; its functions run on that actor.
final class StorageRegistry {
    private let storage: Result<StorageDatabase, AppStorageError>
    private let clients: ClientRegistry

    /// - Parameter storage: from ``open(beside:keeping:logger:)``.
    init(_ storage: Result<StorageDatabase, AppStorageError>, clients: ClientRegistry) {
        (self.storage, self.clients) = (storage, clients)
    }

    /// Why the storage cannot be used; `nil` when it can.
    var fault: AuthError? {
        if case .failure(let fault) = storage { AuthError(fault) } else { nil }
    }

    /// The path of the storage, beside the permission database.
    static func path(beside path: String) -> String {
        URL(filePath: path).deletingLastPathComponent().appending(path: "app-storage.sqlite")
            .path(percentEncoded: false)
    }

    /// Opens the storage, and removes values of unknown apps and programs.
    ///
    /// - Parameter limit: the bytes that all of them may store together.
    /// - Returns: the error, instead of throwing it, when the file is damaged: everything else then works.
    /// - Throws: `unsafeFile`, `diskFull`, `storeFailed`.
    static func open(
        beside path: String, keeping namespaces: Set<StorageDatabase.StorageNamespace>, limit: Int,
        logger: Logger
    ) async throws(AuthError) -> Result<StorageDatabase, AppStorageError> {
        let storage: StorageDatabase
        do throws(AppStorageError) {
            storage = try StorageDatabase(path: Self.path(beside: path), totalLimit: limit)
        } catch {
            if error.code == .damaged { return .failure(error) }
            throw AuthError(error)
        }
        do throws(AppStorageError) {
            try await storage.eraseAll(keeping: namespaces)
        } catch {
            if error.code == .damaged { return .failure(error) }
            // The values are inaccessible, and the next start tries again.
            logger.warning(
                "cannot erase stored values of removed apps", metadata: ["error": "\(error)"])
        }
        return .success(storage)
    }

    /// The storage of a client; after each write `authority` checks that the client still owns it.
    ///
    /// - Throws: `notFound` for the owner and for unknown clients; `storageDamaged`.
    func storage(
        of client: Client, authority: Authority
    ) throws(AuthError) -> ClientStorage {
        let namespace = try clients.storageNamespace(client)
        do throws(AppStorageError) {
            return ClientStorage(
                try storage.get(), namespace: namespace, client: client, authority: authority)
        } catch {
            throw AuthError(error)
        }
    }

    /// How much an app stores.
    ///
    /// - Throws: `storageDamaged`, `storeFailed`.
    nonisolated(nonsending) func usage(of app: String) async throws(AuthError) -> StorageUsage {
        do {
            return try await storage.get().usage(of: clients.storageNamespace(named: app))
        } catch {
            throw AuthError(error)
        }
    }

    /// Checks, after a write, that the client still owns its values, and removes them otherwise.
    ///
    /// - Throws: `notFound` when they were removed, `storeFailed`.
    nonisolated(nonsending) func confirm(
        _ namespace: StorageDatabase.StorageNamespace, of client: Client
    ) async throws(AuthError) {
        guard (try? clients.storageNamespace(client)) != namespace else { return }
        try await erase(of: client.name)
        throw AuthError(.notFound, "\(client.name) was removed.")
    }

    /// Removes the values of identities that a client no longer has.
    ///
    /// - Throws: `storeFailed`.
    nonisolated(nonsending) func erase(of name: String) async throws(AuthError) {
        // No values can be removed from a damaged file; the owner sets the whole file aside.
        guard case .success(let storage) = storage else { return }
        let identity = clients.kind(of: name) == .app ? clients.identity(of: name) : nil
        do {
            try await storage.erase(app: name, keeping: identity)
        } catch {
            throw AuthError(error)
        }
    }
}
