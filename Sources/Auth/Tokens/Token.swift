import Crypto
import Foundation
public import Samples

/// A bearer token: `nvs_`, 256 random bits and a checksum, in base64url.
///
/// Because of the checksum, mistyped and truncated tokens are recognised without a look-up, and programs
/// that search for leaked secrets can recognise a token. Only the SHA-256 of the text is stored.
public struct Token: Hashable, Sendable {
    static let prefix = "nvs_"
    private static let maximumLength = 63
    private static let randomBytes = 32
    private static let checksumBytes = 3

    /// The secret that the client sends; shown once.
    public let text: String

    /// A new random token.
    init() {
        var generator = SystemRandomNumberGenerator()
        let secret = (0..<Self.randomBytes).map { _ in
            UInt8.random(in: .min ... .max, using: &generator)
        }
        let checksum = SHA256.hash(data: secret).prefix(Self.checksumBytes)
        text = Self.prefix + (secret + checksum).base64URL
    }

    /// - Returns: `nil` when the text is not a token or its checksum is wrong.
    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), text.utf8.count <= Self.maximumLength,
            let bytes = [UInt8](base64URL: text.dropFirst(Self.prefix.count)),
            bytes.count == Self.randomBytes + Self.checksumBytes
        else { return nil }
        let checksum = SHA256.hash(data: bytes.prefix(Self.randomBytes)).prefix(Self.checksumBytes)
        guard checksum.elementsEqual(bytes.suffix(Self.checksumBytes)) else { return nil }
        self.text = text
    }

    /// The digest of a text that a caller sent; `nil` for one that is certainly not a token.
    ///
    /// The checksum is not computed: the digest of a text with a wrong one is not that of any token.
    static func digest(ofSent text: String) -> SHA256.Digest? {
        guard text.utf8.count <= maximumLength, text.utf8.starts(with: prefix.utf8) else {
            return nil
        }
        var text = text
        return text.withUTF8 { bytes in
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
            return hash.finalize()
        }
    }

    /// The random bits.
    var secret: [UInt8] {
        let bytes = [UInt8](base64URL: text.dropFirst(Self.prefix.count)) ?? []
        return Array(bytes.prefix(Self.randomBytes))
    }

    /// The stored part.
    var digest: Data { Data(SHA256.hash(data: Data(text.utf8))) }
}

/// A stored token, without its secret.
public struct TokenRecord: Hashable, Sendable {
    /// A short name to list and revoke it by.
    public let id: String
    /// The client that it identifies.
    public let client: Client
    /// When it was created.
    public let created: Timestamp
    /// When it expires; `nil` for never.
    public let expires: Timestamp?

    let digest: Data
    /// The public key of the tokens that are narrowed from this one; `nil` if there can be none: for tokens
    /// of owners, runs and pages, and for those that an earlier version created.
    var rootKey: Data?
}

extension [UInt8] {
    /// The form of RFC 4648, section 5, without padding.
    var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// Reads the form that `base64URL` writes (RFC 4648, section 5), without allocating a string.
    init?(base64URL text: Substring) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var (word, bits): (UInt32, UInt32) = (0, 0)
        for character in text.utf8 {
            guard let value = Self.value(ofBase64URL: character) else { return nil }
            word = word << 6 | value
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: word >> bits))
        }
        guard bits < 6, word & (1 << bits - 1) == 0 else { return nil }
        self = bytes
    }

    private static func value(ofBase64URL character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
