import Auth
import Crypto
import Foundation

/// The public key of whoever signs packages: Ed25519 (RFC 8032).
public struct SignerKey: Sendable, Hashable {
    /// The number of its bytes.
    static let size = 32
    /// The number of bytes of a signature.
    static let signatureSize = 64
    private static let shownDigits = 16

    /// The key as RFC 8032 encodes it.
    let bytes: [UInt8]

    /// The key as text: `nvpub_`, the key and a checksum in hexadecimal.
    public var text: String { KeyText.signer.encode(bytes) }

    /// `ed25519:` and the SHA-256 of the key in hexadecimal; no two keys have the same.
    public var fingerprint: String { "ed25519:" + Fingerprint.sha256(bytes) }

    /// The fingerprint with its first 16 digits only, for people.
    public var shortFingerprint: String { Self.shortened(fingerprint) }

    /// Reads a key as `text` writes it; `nil` where it is mistyped, cut or of no use.
    public init?(_ text: String) {
        guard let bytes = KeyText.signer.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Takes a key; `nil` for another length, and for the points of small order, under which
    /// everybody can sign.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size, !Self.isOfSmallOrder(bytes) else { return nil }
        self.bytes = bytes
    }

    /// A fingerprint as `fingerprint` gives it, cut to what people compare.
    public static func shortened(_ fingerprint: String) -> String {
        String(fingerprint.prefix("ed25519:".count + shownDigits))
    }

    /// Whether a signature of 64 bytes is this key's for a message.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == Self.signatureSize,
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)
        else { return false }
        return key.isValidSignature(signature, for: message)
    }

    /// The encodings, without the sign of x, of the eight points whose order divides 8, and of the
    /// same points with a y that was not reduced.
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
