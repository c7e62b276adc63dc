import Crypto
import Foundation

/// How a key is written: a prefix that says which half it is, 64 hexadecimal digits, and 6 more that
/// tell a mistyped or cut text from a key.
enum KeyText: String {
    case signer = "nvpub_"
    case signing = "nvsec_"

    private static let keyBytes = 32
    private static let checksumBytes = 3

    /// The text of a key.
    func encode(_ key: [UInt8]) -> String {
        rawValue + (key + checksum(key)).hexadecimal
    }

    /// The key that a text holds; `nil` where it is another thing or was mistyped.
    func decode(_ text: String) -> [UInt8]? {
        let digits = 2 * (Self.keyBytes + Self.checksumBytes)
        guard text.utf8.count == rawValue.utf8.count + digits, text.hasPrefix(rawValue),
            let bytes = [UInt8](hexadecimal: text.dropFirst(rawValue.count))
        else { return nil }
        let key = Array(bytes.prefix(Self.keyBytes))
        return checksum(key).elementsEqual(bytes.dropFirst(Self.keyBytes)) ? key : nil
    }

    /// Of the prefix too, so that a secret does not become a public key by another prefix.
    private func checksum(_ key: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Array(rawValue.utf8) + key).prefix(Self.checksumBytes))
    }
}

extension [UInt8] {
    /// Two lower-case digits for each byte.
    var hexadecimal: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        return String(
            decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Reads lower-case digits; `nil` where there is anything else or half a byte.
    init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.map { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        let values = digits.compactMap(\.self)
        guard values.count == digits.count, values.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
