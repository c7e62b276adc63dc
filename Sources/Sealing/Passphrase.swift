import Foundation

/// A passphrase of the owner, in one form for all keyboards.
public struct Passphrase: Sendable {
    /// The shortest and the longest passphrase, in characters and in bytes.
    public static let (shortest, longestBytes) = (12, 1024)

    let bytes: SecretBytes
    private let characters: Int

    /// - Parameter text: normalised to NFC, as RFC 8265, section 4.2 does; nothing else is changed.
    /// - Throws: `unsuitablePassphrase` if it is empty, too long or has control characters; `memory`.
    public init(_ text: String) throws(SealingError) {
        let normal = text.precomposedStringWithCanonicalMapping
        guard (1...Self.longestBytes).contains(normal.utf8.count),
            !normal.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw SealingError(
                .unsuitablePassphrase,
                "A passphrase has 1 to \(Self.longestBytes) bytes and no control characters.")
        }
        bytes = try SecretBytes(copying: normal.utf8)
        characters = normal.count
    }

    /// Checks that the passphrase may protect a key from now on.
    ///
    /// - Throws: `unsuitablePassphrase` if it is too short.
    func checkNew() throws(SealingError) {
        guard characters >= Self.shortest else {
            throw SealingError(
                .unsuitablePassphrase,
                "A new passphrase has at least \(Self.shortest) characters.",
                hint: "Choose for example five words at random")
        }
    }
}
