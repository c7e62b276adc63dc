import Crypto
import Files
import Foundation
import Glibc
import Text

/// The owner's key in the data directory: the public half, and the private half wrapped in each way in which
/// the owner can unlock it.
///
/// `owner-key.json` is replaced as a whole. `owner-key.age` contains the private half, encrypted to the owner's
/// recovery key.
///
/// ```swift
/// var file = try OwnerKeyFile.create(in: folder, passphrase: passphrase, recovery: recipient)
/// let key = try file.unlock(with: passphrase)
/// ```
public struct OwnerKeyFile: Sendable {
    /// The names of the two files.
    public static let (name, recoveryName) = ("owner-key.json", "owner-key.age")
    /// The only version of the file that this program reads.
    public static let version = 1
    /// The start of the line in the recovery file, which the Base64 of the private key follows.
    static let recoveryLabel = "nervous-owner-key-1:"
    private static let longest = 64 << 10
    private static let standardLease = 120
    /// The durations for which the key may stay unlocked, in seconds.
    public static let leases = 10...86_400

    private let folder: String
    private var content: Content
    /// With it the host seals.
    public let publicKey: OwnerPublicKey

    private struct Content: Codable {
        var version: Int
        var publicKey: Data
        var passphrase: PassphraseWrap
        var recovery: String?
        var credential: CredentialWrap?
        var lease: Int?
    }

    private struct PassphraseWrap: Codable {
        var costs: Argon2idCosts
        var salt: Data
        var sealed: Data
    }

    private struct CredentialWrap: Codable {
        var salt: Data
        var sealed: Data
    }

    /// Creates a new key.
    ///
    /// - Parameters:
    ///   - recovery: to whom the recovery file is encrypted; `nil` for none.
    ///   - credential: a secret of the service of at least 32 random bytes that unlocks the key, too.
    /// - Returns: the file, and the key, unlocked.
    /// - Throws: `alreadySetUp`, `unsuitablePassphrase`, `memory`, `storeFailed` or `diskFull`.
    public static func create(
        in folder: String, passphrase: Passphrase, recovery: AgeRecipient? = nil,
        credential: SecretBytes? = nil, costs: Argon2idCosts = .standard
    ) throws(SealingError) -> (file: OwnerKeyFile, key: OwnerKey) {
        guard access("\(folder)/\(name)", F_OK) != 0 else {
            throw SealingError(
                .alreadySetUp, "The owner's key already exists.",
                hint: "Change the passphrase with: nervous lock passphrase")
        }
        try passphrase.checkNew()
        let key = try OwnerKey()
        let content = Content(
            version: version, publicKey: Data(key.publicKey.bytes),
            passphrase: try wrap(key, passphrase, costs), recovery: recovery?.description,
            credential: try credential.map { (credential) throws(SealingError) in
                try wrap(key, credential)
            })
        let file = OwnerKeyFile(folder: folder, content: content, publicKey: key.publicKey)
        // The recovery file first: a crash in between leaves a file that belongs to no key, and never a key
        // without its recovery.
        if let recovery { try file.writeRecovery(of: key, to: recovery) }
        try file.write()
        return (file, key)
    }

    /// Reads the files of a data directory; `nil` if there is no key.
    ///
    /// - Throws: `damaged`, `storeFailed`.
    public init?(in folder: String) throws(SealingError) {
        let path = "\(folder)/\(Self.name)"
        guard access(path, F_OK) == 0 else { return nil }
        try Self.check(path)
        guard let data = FileManager.default.contents(atPath: path), data.count <= Self.longest,
            let content = try? JSONDecoder().decode(Content.self, from: data),
            content.version == Self.version,
            content.recovery.map({ AgeRecipient($0) != nil }) ?? true,
            Self.leases.contains(content.lease ?? Self.standardLease)
        else {
            throw SealingError(
                .damaged, "\(path) is damaged, or was written by a later version of Nervous.",
                hint: "Restore it from a backup; without it only the recovery file opens the key")
        }
        publicKey = try OwnerPublicKey(Array(content.publicKey))
        (self.folder, self.content) = (folder, content)
    }

    private init(folder: String, content: Content, publicKey: OwnerPublicKey) {
        (self.folder, self.content, self.publicKey) = (folder, content, publicKey)
    }

    /// To whom the recovery file is encrypted; `nil` without one.
    public var recovery: AgeRecipient? { content.recovery.flatMap { AgeRecipient($0) } }
    /// Whether a credential of the service unlocks the key.
    public var hasCredential: Bool { content.credential != nil }
    /// How long the key stays unlocked.
    public var lease: Duration { .seconds(content.lease ?? Self.standardLease) }
    /// What deriving a key from the passphrase costs.
    public var costs: Argon2idCosts { content.passphrase.costs }
    /// The path of the recovery file.
    public var recoveryPath: String { "\(folder)/\(Self.recoveryName)" }

    // MARK: - Unlocking

    /// Opens the private key with the passphrase; takes the time and memory of ``costs``.
    ///
    /// - Throws: `wrongPassphrase`, `damaged`, `memory`.
    public func unlock(with passphrase: Passphrase) throws(SealingError) -> OwnerKey {
        let wrap = content.passphrase
        let wrapping = try Argon2id.key(
            from: passphrase.bytes, salt: Array(wrap.salt), costs: wrap.costs,
            associatedData: publicKey.bytes)
        guard let key = try open(wrap.sealed, wrapping, "passphrase") else {
            throw SealingError(.wrongPassphrase, "The passphrase is wrong.")
        }
        return key
    }

    /// Opens the private key with the credential of the service.
    ///
    /// - Throws: `unavailableMethod` if none was set up or it is another one; `memory`.
    public func unlock(withCredential credential: SecretBytes) throws(SealingError) -> OwnerKey {
        guard let wrap = content.credential,
            let key = try open(
                wrap.sealed, Self.key(from: credential, salt: Array(wrap.salt)), "credential")
        else {
            throw SealingError(
                .unavailableMethod, "The credential of the service does not open the owner's key.")
        }
        return key
    }

    /// Opens the private key with the line that the recovery file contains: what `age --decrypt` writes.
    ///
    /// - Throws: `invalidRecovery` for another text; `wrongRecovery` for the key of another data directory;
    ///   `memory`.
    public func unlock(withRecovered line: String) throws(SealingError) -> OwnerKey {
        let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.hasPrefix(Self.recoveryLabel),
            let data = Data(base64Encoded: String(text.dropFirst(Self.recoveryLabel.count))),
            data.count == 32
        else {
            throw SealingError(
                .invalidRecovery, "This is not the content of a recovery file.",
                hint: "Decrypt it first: age --decrypt -i IDENTITY owner-key.age")
        }
        let key = try OwnerKey(SecretBytes(copying: data))
        guard key.publicKey == publicKey else {
            throw SealingError(
                .wrongRecovery, "The recovered key is not that of this data directory.")
        }
        return key
    }

    // MARK: - Changes

    /// Wraps the key under another passphrase; nothing that was sealed changes.
    ///
    /// - Parameter key: the private key, unlocked.
    /// - Throws: `unsuitablePassphrase`, `memory`, `storeFailed` or `diskFull`; the file is then unchanged.
    public mutating func change(
        to passphrase: Passphrase, key: OwnerKey, costs: Argon2idCosts = .standard
    ) throws(SealingError) {
        try passphrase.checkNew()
        var next = self
        next.content.passphrase = try Self.wrap(key, passphrase, costs)
        try next.write()
        self = next
    }

    /// Encrypts the key to another recovery key, or removes the recovery file.
    ///
    /// - Throws: `storeFailed` or `diskFull`.
    public mutating func setRecovery(
        _ recipient: AgeRecipient?, key: OwnerKey
    ) throws(SealingError) {
        var next = self
        next.content.recovery = recipient?.description
        if let recipient { try next.writeRecovery(of: key, to: recipient) }
        try next.write()
        self = next
        if recipient == nil { unlink(recoveryPath) }
    }

    /// Wraps the key under a credential of the service, or removes that wrap.
    ///
    /// - Throws: `memory`, `storeFailed` or `diskFull`.
    public mutating func setCredential(
        _ credential: SecretBytes?, key: OwnerKey
    ) throws(SealingError) {
        var next = self
        next.content.credential = try credential.map { (credential) throws(SealingError) in
            try Self.wrap(key, credential)
        }
        try next.write()
        self = next
    }

    /// Sets how long the key stays unlocked from the next time on.
    ///
    /// - Parameter seconds: one of ``leases``.
    /// - Throws: `storeFailed` or `diskFull`.
    public mutating func setLease(seconds: Int) throws(SealingError) {
        var next = self
        next.content.lease = min(max(seconds, Self.leases.lowerBound), Self.leases.upperBound)
        try next.write()
        self = next
    }

    // MARK: - Wrapping

    private static func wrap(
        _ key: OwnerKey, _ passphrase: Passphrase, _ costs: Argon2idCosts
    ) throws(SealingError) -> PassphraseWrap {
        let salt = randomSalt()
        let wrapping = try Argon2id.key(
            from: passphrase.bytes, salt: salt, costs: costs,
            associatedData: key.publicKey.bytes)
        return PassphraseWrap(
            costs: costs, salt: Data(salt), sealed: try seal(key, wrapping, "passphrase"))
    }

    private static func wrap(
        _ key: OwnerKey, _ credential: SecretBytes
    ) throws(SealingError) -> CredentialWrap {
        guard credential.count >= 32 else {
            throw SealingError(
                .unavailableMethod, "A credential of the service has at least 32 random bytes.",
                hint: "Make one with: head -c 32 /dev/urandom | xxd -p -c 64")
        }
        let salt = randomSalt()
        return CredentialWrap(
            salt: Data(salt),
            sealed: try seal(key, Self.key(from: credential, salt: salt), "credential"))
    }

    private static func key(
        from credential: SecretBytes, salt: [UInt8]
    ) throws(SealingError) -> SecretBytes {
        let input = credential.withUnsafeBytes { SymmetricKey(data: $0) }
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input, salt: Data(salt),
            info: Data("nervous/owner-key/1/credential".utf8), outputByteCount: 32)
        return try SecretBytes(count: 32) { (memory) throws(SealingError) in
            key.withUnsafeBytes { memory.copyMemory(from: $0) }
        }
    }

    private static func randomSalt() -> [UInt8] {
        (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// What a wrap is bound to: the key and the way.
    private static func binding(_ publicKey: OwnerPublicKey, _ way: String) -> Data {
        Data("nervous/owner-key/1/\(way)".utf8) + Data(publicKey.bytes)
    }

    private static func seal(
        _ key: OwnerKey, _ wrapping: SecretBytes, _ way: String
    ) throws(SealingError) -> Data {
        let symmetric = wrapping.withUnsafeBytes { SymmetricKey(data: $0) }
        let box = key.bytes.withUnsafeBytes {
            try? ChaChaPoly.seal(
                $0, using: symmetric, authenticating: binding(key.publicKey, way))
        }
        guard let box else {
            throw SealingError(.storeFailed, "The owner's key could not be wrapped.")
        }
        return box.combined
    }

    /// - Returns: `nil` if the wrapping key does not open it.
    private func open(
        _ sealed: Data, _ wrapping: SecretBytes, _ way: String
    ) throws(SealingError) -> OwnerKey? {
        let symmetric = wrapping.withUnsafeBytes { SymmetricKey(data: $0) }
        guard let box = try? ChaChaPoly.SealedBox(combined: sealed),
            var plain = try? ChaChaPoly.open(
                box, using: symmetric, authenticating: Self.binding(publicKey, way))
        else { return nil }
        defer { plain.resetBytes(in: plain.startIndex..<plain.endIndex) }
        let key = try OwnerKey(SecretBytes(copying: plain))
        guard key.publicKey == publicKey else {
            throw SealingError(.damaged, "The owner's public and private keys do not match.")
        }
        return key
    }

    // MARK: - Files

    private func write() throws(SealingError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(content) else {
            throw SealingError(.storeFailed, "The owner's key could not be written.")
        }
        try Self.replace("\(folder)/\(Self.name)", with: Array(json) + [UInt8(ascii: "\n")])
    }

    private func writeRecovery(
        of key: OwnerKey, to recipient: AgeRecipient
    ) throws(SealingError) {
        var text = key.bytes.withUnsafeBytes {
            Data((Self.recoveryLabel + Data($0).base64EncodedString() + "\n").utf8)
        }
        defer { text.resetBytes(in: text.startIndex..<text.endIndex) }
        try Self.replace(recoveryPath, with: AgeFile.encrypt(text, to: recipient))
    }

    private static func replace(_ path: String, with bytes: [UInt8]) throws(SealingError) {
        do {
            try DurableFile.replace(path, with: bytes)
        } catch {
            throw SealingError(error)
        }
    }

    private static func check(_ path: String) throws(SealingError) {
        do {
            try PrivateFile.check(path)
        } catch {
            throw SealingError(error)
        }
    }
}

extension SealingError {
    init(_ error: FilesError) {
        self.init(
            error.code == .diskFull ? .diskFull : .storeFailed, error.message, hint: error.hint)
    }
}
