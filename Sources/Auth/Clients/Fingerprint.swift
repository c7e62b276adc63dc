import Crypto
import Text

/// Identifies content by its SHA-256.
///
/// ```swift
/// Fingerprint.sha256(Array("abc".utf8))  // "ba7816bf…"
/// ```
public enum Fingerprint {
    /// The SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
    public static func sha256(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).hexadecimal
    }
}
