import Crypto
import Foundation
import Text

/// What something is sealed for: a form sealed for one purpose is not opened for another.
public enum SealPurpose: String, Sendable {
    /// The value of a secret of an app or a source.
    case secret
    /// A part of the store.
    case store

    /// The `info` of HPKE.
    fileprivate var info: Data { Data("nervous/sealed/1/\(rawValue)".utf8) }
}

/// The public half of the owner's key, with which the host seals what it cannot read while it is locked.
///
/// A sealed form is HPKE in base mode (RFC 9180) with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and
/// ChaCha20-Poly1305: the byte 1, the first 8 bytes of the SHA-256 of the public key, the 32 bytes of the
/// encapsulated key, and the ciphertext with its tag. The first 9 bytes and the place are authenticated.
///
/// ```swift
/// let sealed = try key.publicKey.seal(value, for: .secret, at: "app/weather/api-key")
/// let value = try key.open(sealed, for: .secret, at: "app/weather/api-key")
/// ```
public struct OwnerPublicKey: Hashable, Sendable {
    static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    fileprivate static let version: UInt8 = 1
    fileprivate static let (identifierBytes, encapsulatedBytes, tagBytes) = (8, 32, 16)
    /// How many bytes a sealed form is longer than what was sealed.
    public static let overhead = 1 + identifierBytes + encapsulatedBytes + tagBytes

    /// The 32 bytes of the key on Curve25519 (RFC 7748).
    public let bytes: [UInt8]

    /// - Throws: `damaged` unless there are 32 bytes of a key that is not of small order.
    public init(_ bytes: [UInt8]) throws(SealingError) {
        guard X25519.isUsable(bytes) else {
            throw SealingError(.damaged, "The owner's public key cannot be used.")
        }
        self.bytes = bytes
    }

    /// 16 hexadecimal digits that tell keys apart.
    public var fingerprint: String { identifier.hexadecimal }

    fileprivate var identifier: [UInt8] {
        Array(SHA256.hash(data: bytes).prefix(Self.identifierBytes))
    }

    /// Seals bytes for the private key.
    ///
    /// The same bytes have another form every time.
    ///
    /// - Parameter place: where the form is stored; it is opened for the same place only.
    /// - Throws: `damaged` if the public key is not one of the curve.
    public func seal(
        _ bytes: [UInt8], for purpose: SealPurpose, at place: String
    ) throws(SealingError) -> [UInt8] {
        let header = [Self.version] + identifier
        do {
            let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: self.bytes)
            var sender = try HPKE.Sender(
                recipientKey: key, ciphersuite: Self.suite, info: purpose.info)
            let sealed = try sender.seal(
                Data(bytes), authenticating: Data(header) + Data(place.utf8))
            return header + sender.encapsulatedKey + sealed
        } catch {
            throw SealingError(.damaged, "The owner's public key cannot be used.")
        }
    }
}

/// The private half of the owner's key, in locked memory.
public struct OwnerKey: Sendable {
    let bytes: SecretBytes
    /// The public half.
    public let publicKey: OwnerPublicKey

    /// A new key.
    ///
    /// - Throws: `memory`.
    public init() throws(SealingError) {
        try self.init(SecretBytes(randomCount: 32))
    }

    /// - Throws: `damaged` unless there are 32 bytes.
    init(_ bytes: SecretBytes) throws(SealingError) {
        guard let key = Self.privateKey(bytes) else {
            throw SealingError(.damaged, "The owner's private key does not have 32 bytes.")
        }
        self.bytes = bytes
        publicKey = try OwnerPublicKey(Array(key.publicKey.rawRepresentation))
    }

    /// Opens a sealed form.
    ///
    /// - Parameter place: where the form was stored.
    /// - Throws: `damaged` if it was changed, or sealed for another purpose or place or to another key;
    ///   `memory`.
    public func open(
        _ sealed: [UInt8], for purpose: SealPurpose, at place: String
    ) throws(SealingError) -> SecretBytes {
        let headerCount = 1 + OwnerPublicKey.identifierBytes
        let start = headerCount + OwnerPublicKey.encapsulatedBytes
        guard sealed.count >= OwnerPublicKey.overhead,
            sealed.prefix(headerCount).elementsEqual(
                [OwnerPublicKey.version] + publicKey.identifier),
            let key = Self.privateKey(bytes)
        else { throw Self.unopened }
        var plain: Data
        do {
            var recipient = try HPKE.Recipient(
                privateKey: key, ciphersuite: OwnerPublicKey.suite, info: purpose.info,
                encapsulatedKey: Data(sealed[headerCount..<start]))
            plain = try recipient.open(
                Data(sealed[start...]),
                authenticating: Data(sealed.prefix(headerCount)) + Data(place.utf8))
        } catch {
            throw Self.unopened
        }
        defer { plain.resetBytes(in: plain.startIndex..<plain.endIndex) }
        return try SecretBytes(copying: plain)
    }

    /// The key of the library, which it keeps in memory of its own and overwrites when it is released.
    private static func privateKey(_ bytes: SecretBytes) -> Curve25519.KeyAgreement.PrivateKey? {
        bytes.withUnsafeBytes { try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) }
    }

    private static let unopened = SealingError(
        .damaged, "A sealed value was changed, or was sealed for another place or to another key.")
}

/// The key agreement of RFC 7748, with the check of its section 6.1: a public key of small order, with which every
/// shared secret is zero, is refused.
enum X25519 {
    /// Whether a public key yields a secret that others do not know.
    static func isUsable(_ publicKey: [UInt8]) -> Bool {
        secret(of: Curve25519.KeyAgreement.PrivateKey(), with: publicKey) != nil
    }

    /// - Returns: `nil` for a public key that has not 32 bytes or is of small order.
    static func secret(
        of key: Curve25519.KeyAgreement.PrivateKey, with publicKey: [UInt8]
    ) -> SharedSecret? {
        guard let publicKey = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey),
            let secret = try? key.sharedSecretFromKeyAgreement(with: publicKey),
            secret.withUnsafeBytes({ $0.contains { $0 != 0 } })
        else { return nil }
        return secret
    }
}
