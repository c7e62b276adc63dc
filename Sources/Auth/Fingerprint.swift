import Crypto
import Foundation

/// Identifies content by its SHA-256.
///
/// ```swift
/// Fingerprint.sha256(Array("abc".utf8))  // "ba7816bf…"
/// ```
public enum Fingerprint {
    /// The SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
    public static func sha256(_ bytes: [UInt8]) -> String {
        Data(SHA256.hash(data: bytes)).hexadecimal
    }
}

extension Data {
    /// Two lower-case hexadecimal digits per byte.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// - Returns: `nil` unless the text is pairs of hexadecimal digits.
    init?(hexadecimal text: String) {
        let nibbles = text.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard nibbles.count.isMultiple(of: 2), nibbles.allSatisfy({ $0 != nil }) else { return nil }
        let digits = nibbles.compactMap { $0 }
        self.init(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}
