/// The SHA-256 of the certificate, or of the public key, that a server must present.
public struct CertificatePin: Hashable, Sendable, LosslessStringConvertible {
    private static let prefix = "sha256/"
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// 32 bytes: the SHA-256 of the certificate in DER, or of its `SubjectPublicKeyInfo`.
    public let digest: [UInt8]

    /// Reads `sha256/` and the digest in Base64 (RFC 4648, section 4).
    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), text.utf8.count == Self.prefix.utf8.count + 44,
            text.hasSuffix("=")
        else { return nil }
        var bits: UInt32 = 0
        var bytes: [UInt8] = []
        for (index, letter) in text.utf8.dropFirst(Self.prefix.utf8.count).prefix(43).enumerated() {
            guard let value = Self.alphabet.firstIndex(of: letter) else { return nil }
            bits = bits << 6 | UInt32(value)
            // Each letter adds six bits; all but the first of four letters complete a byte.
            if index % 4 != 0 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - index % 4 * 2)))
            }
        }
        digest = bytes
        // The last letter has unused bits; accept only the canonical spelling.
        guard text == description else { return nil }
    }

    /// - Precondition: `digest` has 32 bytes.
    public init(digest: [UInt8]) {
        precondition(digest.count == 32, "a SHA-256 has 32 bytes")
        self.digest = digest
    }

    /// `sha256/` and the digest in Base64.
    public var description: String {
        var letters: [UInt8] = []
        for start in stride(from: 0, to: digest.count, by: 3) {
            let group = digest[start..<min(start + 3, digest.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * (3 - group.count))
            for index in 0...group.count {
                letters.append(Self.alphabet[Int(bits >> (18 - 6 * index) & 63)])
            }
        }
        return Self.prefix + String(decoding: letters, as: UTF8.self) + "="
    }
}
