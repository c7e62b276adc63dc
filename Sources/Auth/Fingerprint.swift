import Crypto

/// Names content by what it is.
public enum Fingerprint {
    /// The SHA-256 of some bytes as 64 lower-case hexadecimal digits.
    public static func sha256(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let hex = SHA256.hash(data: bytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: hex, as: UTF8.self)
    }
}
