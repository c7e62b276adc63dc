import Foundation

/// The picture of a published app: the bytes of a PNG.
public struct AppIcon: Sendable, Hashable {
    /// The longest text of one, in characters of base64; as many as a manifest may have in all.
    static let longestText = 256 << 10
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The bytes; they begin as those of a PNG do, and nobody has looked at the rest.
    public let bytes: [UInt8]

    /// Reads base64, as it stands or in a `data:` address; `nil` where it is no PNG.
    init?(_ text: String) {
        let prefix = "data:image/png;base64,"
        let encoded = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        guard let data = Data(base64Encoded: encoded, options: .ignoreUnknownCharacters),
            data.starts(with: Self.signature)
        else { return nil }
        bytes = Array(data)
    }
}
