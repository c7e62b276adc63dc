import Crypto
import Foundation

/// A bearer token: `nvs_`, 256 random bits and a checksum, in base64url.
///
/// The checksum lets a mistyped or truncated token be told from a revoked one, and lets scanners for
/// leaked secrets recognise it. Only the SHA-256 of the text is ever kept.
public struct Token: Hashable, Sendable {
    static let prefix = "nvs_"
    private static let randomBytes = 32
    private static let checksumBytes = 3

    /// What the holder sends; shown once.
    public let text: String

    /// A new one.
    init() {
        var generator = SystemRandomNumberGenerator()
        let secret = (0..<Self.randomBytes).map { _ in
            UInt8.random(in: .min ... .max, using: &generator)
        }
        let checksum = SHA256.hash(data: secret).prefix(Self.checksumBytes)
        text = Self.prefix + (secret + checksum).base64URL
    }

    /// - Returns: `nil` when the text has not the shape of a token or its checksum is wrong.
    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), text.utf8.count < 64,
            let bytes = [UInt8](base64URL: text.dropFirst(Self.prefix.count)),
            bytes.count == Self.randomBytes + Self.checksumBytes
        else { return nil }
        let checksum = SHA256.hash(data: bytes.prefix(Self.randomBytes)).prefix(Self.checksumBytes)
        guard checksum.elementsEqual(bytes.suffix(Self.checksumBytes)) else { return nil }
        self.text = text
    }

    /// What is kept of it.
    var digest: Data { Data(SHA256.hash(data: Data(text.utf8))) }
}

extension [UInt8] {
    fileprivate var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    fileprivate init?(base64URL text: Substring) {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        guard let data = Data(base64Encoded: standard + padding) else { return nil }
        self.init(data)
    }
}
