import Crypto
import Files
import Foundation
import Glibc
public import Samples
public import Scheduling
import Synchronization
import Text

/// Passwords and keys that the host uses on behalf of apps and sources, sealed in `secrets.json`.
///
/// A secret is sealed to the owner's key and can be used while that is unlocked; or, by the owner's choice,
/// with a key that the host has at any time. Then whoever reads the whole data directory can read it.
///
/// ```swift
/// try secrets.set("hunter2", "api-key", of: .app("weather"), keptBy: .owner)
/// let value = try secrets.value("api-key", of: .app("weather"))
/// ```
public final class SecretStore: Sendable {
    /// The file of the sealed secrets.
    public static let name = "secrets.json"
    /// The only version of the file that this program reads.
    public static let version = 1
    /// The file of the host's key; a backup does not contain it.
    public static let hostKeyName = "secrets-host.key"
    /// The maximum number of secrets, and of bytes of one.
    public static let (limit, longest) = (512, 4096)

    /// What unseals a secret.
    public enum Keeper: String, Sendable, CaseIterable, Codable {
        /// The owner's key, while it is unlocked.
        case owner
        /// The host's key, at any time: the weaker kind.
        case host
    }

    /// A secret without its value.
    public struct Entry: Hashable, Sendable {
        public let holder: SecretHolder
        public let name: SecretName
        public let keeper: Keeper
        /// When the value was set.
        public let set: Timestamp
    }

    private struct Content: Codable {
        struct Item: Codable {
            let holder: String
            let name: String
            let keeper: Keeper
            /// Microseconds since 1970.
            let set: Int64
            let sealed: Data
        }

        var version = SecretStore.version
        var secrets: [Item] = []
    }

    private struct Key: Hashable {
        let holder: SecretHolder
        let name: SecretName
    }

    private struct Stored {
        let keeper: Keeper
        let set: Timestamp
        let sealed: [UInt8]
    }

    private let folder: String
    private let lock: OwnerLock
    private let credential: String?
    private let time: any TimeSource
    private let secrets: Mutex<[Key: Stored]>
    /// Why the secrets cannot be read; every call then fails with this error.
    public let fault: SealingError?

    /// Reads the secrets of a data directory.
    ///
    /// - Parameter credential: the file of a credential of the service that is used as the host's key if it
    ///   exists, instead of a file in the data directory.
    public init(
        folder: String, lock: OwnerLock, credential: String? = nil,
        time: any TimeSource = .system
    ) {
        (self.folder, self.lock, self.credential, self.time) = (folder, lock, credential, time)
        do {
            secrets = Mutex(try Self.read("\(folder)/\(Self.name)"))
            fault = nil
        } catch {
            secrets = Mutex([:])
            fault = error
        }
    }

    /// The secrets without their values, by holder and name.
    public var entries: [Entry] {
        secrets.withLock { secrets in
            secrets.map { key, stored in
                Entry(holder: key.holder, name: key.name, keeper: stored.keeper, set: stored.set)
            }
        }.sorted { ($0.holder, $0.name) < ($1.holder, $1.name) }
    }

    /// Adds a secret, or replaces its value; needs no unlocking.
    ///
    /// - Parameter value: 1 to ``longest`` bytes without control characters.
    /// - Throws: `notSetUp` without an owner's key if the owner's key is to keep it; `invalidSecret`,
    ///   `storeFailed` or `diskFull`. Then nothing has changed.
    public func set(
        _ value: String, _ name: SecretName, of holder: SecretHolder, keptBy keeper: Keeper
    ) throws(SealingError) {
        if let fault { throw fault }
        let bytes = Array(value.utf8)
        guard (1...Self.longest).contains(bytes.count),
            !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else {
            throw SealingError(
                .invalidSecret,
                "A secret has 1 to \(Self.longest) bytes and no control characters.")
        }
        let place = Self.place(holder, name)
        // Sealing is part of the change: removing the last secret that the host keeps removes its key.
        try change { (secrets) throws(SealingError) in
            let sealed: [UInt8] =
                switch keeper {
                case .owner: try lock.seal(bytes, for: .secret, at: place)
                case .host: try sealWithHostKey(bytes, at: place)
                }
            secrets[Key(holder: holder, name: name)] = Stored(
                keeper: keeper, set: time.now(), sealed: sealed)
            guard secrets.count <= Self.limit else {
                throw SealingError(
                    .invalidSecret, "There are already \(Self.limit) secrets.",
                    hint: "Remove one with: nervous secrets remove")
            }
        }
    }

    /// Removes a secret.
    ///
    /// - Returns: whether it existed.
    /// - Throws: `storeFailed` or `diskFull`.
    @discardableResult
    public func remove(
        _ name: SecretName, of holder: SecretHolder
    ) throws(SealingError) -> Bool {
        if let fault { throw fault }
        let key = Key(holder: holder, name: name)
        guard secrets.withLock({ $0[key] != nil }) else { return false }
        try change { (secrets) throws(SealingError) in secrets[key] = nil }
        return true
    }

    /// Removes all secrets of a holder.
    ///
    /// - Returns: how many there were.
    /// - Throws: `storeFailed` or `diskFull`.
    @discardableResult
    public func removeAll(of holder: SecretHolder) throws(SealingError) -> Int {
        let count = entries.count { $0.holder == holder }
        guard count > 0 else { return 0 }
        try change { (secrets) throws(SealingError) in
            secrets = secrets.filter { $0.key.holder != holder }
        }
        return count
    }

    /// The value of a secret; `nil` if there is none of this name.
    ///
    /// - Throws: `locked` if the owner's key keeps it and is locked; `damaged`, `memory`.
    public func value(
        _ name: SecretName, of holder: SecretHolder
    ) throws(SealingError) -> SecretBytes? {
        if let fault { throw fault }
        guard let stored = secrets.withLock({ $0[Key(holder: holder, name: name)] }) else {
            return nil
        }
        let place = Self.place(holder, name)
        return switch stored.keeper {
        case .owner: try lock.open(stored.sealed, for: .secret, at: place)
        case .host: try openWithHostKey(stored.sealed, at: place)
        }
    }

    // MARK: - The host's key

    private static func place(_ holder: SecretHolder, _ name: SecretName) -> String {
        "\(holder)/\(name)"
    }

    private static func binding(_ place: String) -> Data { Data("nervous/secret/1/\(place)".utf8) }

    private var hostKeyPath: String { "\(folder)/\(Self.hostKeyName)" }

    private func sealWithHostKey(_ bytes: [UInt8], at place: String) throws(SealingError)
        -> [UInt8]
    {
        let key = try hostKey(mayCreate: true)
        guard
            let box = try? ChaChaPoly.seal(
                Data(bytes), using: key, authenticating: Self.binding(place))
        else { throw SealingError(.storeFailed, "The secret could not be sealed.") }
        return Array(box.combined)
    }

    private func openWithHostKey(_ sealed: [UInt8], at place: String) throws(SealingError)
        -> SecretBytes
    {
        let key = try hostKey(mayCreate: false)
        guard let box = try? ChaChaPoly.SealedBox(combined: sealed),
            var plain = try? ChaChaPoly.open(box, using: key, authenticating: Self.binding(place))
        else {
            throw SealingError(
                .damaged, "The host's key does not open the secret.",
                hint: "Set it again with: nervous secrets set")
        }
        defer { plain.resetBytes(in: plain.startIndex..<plain.endIndex) }
        return try SecretBytes(copying: plain)
    }

    private func hostKey(mayCreate: Bool) throws(SealingError) -> SymmetricKey {
        if let credential, let bytes = try SecretFileBytes.read(credential) {
            guard bytes.count >= 32 else {
                throw SealingError(
                    .unavailableMethod, "A credential of the service has at least 32 random bytes.")
            }
            return bytes.withUnsafeBytes { bytes in
                HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: bytes),
                    info: Data("nervous/secrets-host-key/1".utf8), outputByteCount: 32)
            }
        }
        do {
            if access(hostKeyPath, F_OK) != 0 {
                guard mayCreate else {
                    throw SealingError(
                        .damaged, "The host's key, \(hostKeyPath), is missing.",
                        hint: "A backup does not contain it; set the secret again")
                }
                let digits = SymmetricKey(size: .bits256).withUnsafeBytes { $0.hexadecimal }
                try DurableFile.replace(hostKeyPath, with: Array((digits + "\n").utf8))
            }
            try PrivateFile.check(hostKeyPath)
            let bytes = [UInt8](hexadecimal: try SecretFile.line(in: hostKeyPath))
            guard let bytes, bytes.count == 32 else {
                throw SealingError(.damaged, "\(hostKeyPath) is not 64 hexadecimal digits.")
            }
            return SymmetricKey(data: bytes)
        } catch let error as FilesError {
            throw SealingError(error)
        } catch let error as SealingError {
            throw error
        } catch {
            throw SealingError(.storeFailed, "\(hostKeyPath) cannot be read.")
        }
    }

    // MARK: - The file

    private static func read(_ path: String) throws(SealingError) -> [Key: Stored] {
        guard access(path, F_OK) == 0 else { return [:] }
        do {
            try PrivateFile.check(path)
        } catch {
            throw SealingError(error)
        }
        let damaged = SealingError(
            .damaged, "\(path) is damaged, or was written by a later version of Nervous.",
            hint: "Restore it from a backup, or remove it and set the secrets again")
        guard let data = FileManager.default.contents(atPath: path),
            let content = try? JSONDecoder().decode(Content.self, from: data),
            content.version == version
        else { throw damaged }
        var secrets: [Key: Stored] = [:]
        for item in content.secrets {
            guard let holder = SecretHolder(item.holder), let name = SecretName(item.name) else {
                throw damaged
            }
            secrets[Key(holder: holder, name: name)] = Stored(
                keeper: item.keeper, set: Timestamp(microseconds: item.set),
                sealed: Array(item.sealed))
        }
        return secrets
    }

    /// Changes the secrets in memory once the file has changed.
    private func change(
        _ body: (inout [Key: Stored]) throws(SealingError) -> Void
    ) throws(SealingError) {
        let failure: SealingError? = secrets.withLock { secrets in
            do throws(SealingError) {
                var next = secrets
                try body(&next)
                try write(next)
                secrets = next
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    private func write(_ secrets: [Key: Stored]) throws(SealingError) {
        let items = secrets.map { key, stored in
            Content.Item(
                holder: key.holder.description, name: key.name.description,
                keeper: stored.keeper, set: stored.set.microseconds, sealed: Data(stored.sealed))
        }.sorted { ($0.holder, $0.name) < ($1.holder, $1.name) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(Content(secrets: items)) else {
            throw SealingError(.storeFailed, "The secrets could not be written.")
        }
        do {
            try DurableFile.replace("\(folder)/\(Self.name)", with: Array(json))
        } catch {
            throw SealingError(error)
        }
        // Without it, what the disk still has of removed secrets cannot be opened.
        if !secrets.values.contains(where: { $0.keeper == .host }) { unlink(hostKeyPath) }
    }
}
