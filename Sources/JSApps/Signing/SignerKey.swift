import Auth
import Crypto
import Foundation
import Text

/// The public key of a signer: Ed25519 (RFC 8032).
///
/// ```swift
/// guard let key = SignerKey("nvpub_3d40…") else { throw UsageError() }
/// print(key.shortFingerprint)  // ed25519:21fe31dfa154a261
/// ```
public struct SignerKey: Sendable, Hashable {
    /// Bytes of a key.
    static let size = 32
    /// Bytes of a signature.
    static let signatureSize = 64
    private static let shownDigits = 16

    /// The key as RFC 8032 encodes it.
    let bytes: [UInt8]

    /// The key as text: `nvpub_`, the key and a checksum in hexadecimal.
    public var text: String { KeyText.signer.encode(bytes) }

    /// `ed25519:` and the SHA-256 of the key in hexadecimal.
    public var fingerprint: String { "ed25519:" + Fingerprint.sha256(bytes) }

    /// The fingerprint cut to 16 digits, for display.
    public var shortFingerprint: String { Self.shortened(fingerprint) }

    /// Parses the form of `text`; `nil` if it is mistyped, incomplete or not a usable key.
    public init?(_ text: String) {
        guard let bytes = KeyText.signer.decode(text) else { return nil }
        self.init(bytes)
    }

    /// `nil` for a wrong length, and for points of small order, for which anyone can make
    /// signatures.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size, !Self.isOfSmallOrder(bytes) else { return nil }
        self.bytes = bytes
    }

    /// A fingerprint cut to 16 digits, for display.
    public static func shortened(_ fingerprint: String) -> String {
        String(fingerprint.prefix("ed25519:".count + shownDigits))
    }

    /// Whether a signature of 64 bytes is valid for a message.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == Self.signatureSize,
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
        else { return false }
        return key.isValidSignature(signature, for: message)
    }

    /// The encodings, without the sign of x, of the eight points whose order divides 8, also with
    /// an unreduced y.
    private static let smallOrders = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]

    private static func isOfSmallOrder(_ bytes: [UInt8]) -> Bool {
        let unsigned = Array(bytes.dropLast()) + bytes.suffix(1).map { $0 & 0x7F }
        return smallOrders.contains(unsigned.hexadecimal)
    }
}

extension SignerKey: CustomStringConvertible {
    /// The fingerprint.
    public var description: String { fingerprint }
}

/// The private key of a signer, which can publish updates in the signer's name.
///
/// Its text is written to the key's file only; printing the value shows the public half.
public struct SigningKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// The public half.
    public let signer: SignerKey

    /// The key as text, for its file.
    var text: String { KeyText.signing.encode(Array(key.rawRepresentation)) }

    /// A new key.
    init() throws(JSAppsError) {
        try self.init(Curve25519.Signing.PrivateKey())
    }

    /// Parses the form of `text`.
    ///
    /// - Throws: ``JSAppsError`` with code `badKey`.
    init(_ text: String) throws(JSAppsError) {
        guard let bytes = KeyText.signing.decode(text),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)
        else { throw Self.refusal }
        try self.init(key)
    }

    private init(_ key: Curve25519.Signing.PrivateKey) throws(JSAppsError) {
        guard let signer = SignerKey(Array(key.publicKey.rawRepresentation)) else {
            throw Self.refusal
        }
        self.key = key
        self.signer = signer
    }

    /// Signs a message; the same message gives the same 64 bytes.
    func signature(of message: [UInt8]) throws(JSAppsError) -> [UInt8] {
        do {
            return Array(try key.signature(for: message))
        } catch {
            throw JSAppsError(.badKey, "The key could not sign the package.", cause: error)
        }
    }

    private static var refusal: JSAppsError {
        JSAppsError(
            .badKey, "The key's file does not contain a private key.",
            hint: "Restore the file, or create another key with: nervous keys create NAME")
    }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fingerprint of the public half.
    public var description: String { "signing key of \(signer)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Empty, so that a dump does not show the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The text form of a key: a prefix for the public or private half, 64 hexadecimal digits, and a
/// checksum of 6 more against typing errors.
enum KeyText: String {
    case signer = "nvpub_"
    case signing = "nvsec_"

    private static let keyBytes = 32
    private static let checksumBytes = 3

    /// The text of a key.
    func encode(_ key: [UInt8]) -> String {
        rawValue + (key + checksum(key)).hexadecimal
    }

    /// Parses the text of a key; `nil` if it is not one or was mistyped.
    func decode(_ text: String) -> [UInt8]? {
        let digits = 2 * (Self.keyBytes + Self.checksumBytes)
        guard text.utf8.count == rawValue.utf8.count + digits, text.hasPrefix(rawValue),
            let bytes = [UInt8](hexadecimal: text.dropFirst(rawValue.count))
        else { return nil }
        let key = Array(bytes.prefix(Self.keyBytes))
        return checksum(key).elementsEqual(bytes.dropFirst(Self.keyBytes)) ? key : nil
    }

    /// Includes the prefix, so that a private key with the other prefix is invalid.
    private func checksum(_ key: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Array(rawValue.utf8) + key).prefix(Self.checksumBytes))
    }
}
