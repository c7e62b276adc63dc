import Text

/// One edition of a catalogue: an index whose signature has been verified.
///
/// Only ``init(index:signature:)`` makes it, so its existence proves that `signer` signed `bytes`.
public struct CatalogueEdition: Sendable {
    /// The index.
    public let index: CatalogueIndex
    /// The key that signed it.
    public let signer: SignerKey
    /// The bytes of the index and of its signature.
    let bytes: [UInt8], signature: [UInt8]

    /// Verifies a signature, and then parses the index.
    ///
    /// - Throws: ``JSAppsError`` with code `badSignature` or `badCatalogue`.
    public init(index bytes: [UInt8], signature: [UInt8]) throws(JSAppsError) {
        let file = CatalogueIndex.fileName + CatalogueIndex.signatureEnding
        let parsed = try DetachedSignature(parsing: signature, in: file, of: "catalogue")
        guard parsed.verifies(CatalogueIndex.message(bytes)) else {
            throw .badSignature(
                "The index of the catalogue differs from the one that"
                    + " \(parsed.signer.shortFingerprint) signed.",
                hint: "The publisher may be updating it right now: try again in a minute."
                    + " Otherwise tell its publisher.")
        }
        index = try CatalogueIndex(parsing: bytes)
        signer = parsed.signer
        self.bytes = bytes
        self.signature = signature
    }

    /// Signs an index.
    init(_ index: CatalogueIndex, by key: SigningKey) throws(JSAppsError) {
        self.index = index
        signer = key.signer
        bytes = index.encoded
        signature = try DetachedSignature(of: CatalogueIndex.message(bytes), by: key).encoded
    }

    /// Checks that this edition may follow one of the same catalogue.
    ///
    /// - Parameters:
    ///   - name: the owner's name for the catalogue.
    ///   - pinned: the key that was accepted.
    ///   - previous: the newest edition seen.
    /// - Throws: ``JSAppsError`` with code `catalogueKeyChanged` or `staleCatalogue`.
    func check(
        named name: AppName, pinned: SignerKey, after previous: CatalogueEdition?
    ) throws(JSAppsError) {
        guard signer == pinned else {
            throw JSAppsError(
                .catalogueKeyChanged,
                "The catalogue ‘\(name)’ is signed by \(signer.shortFingerprint), and not by"
                    + " \(pinned.shortFingerprint), which you accepted.",
                hint: "Ask its publisher. If you trust the new key, remove the catalogue and add it"
                    + " again: nervous catalogue remove \(name)")
        }
        guard let previous else { return }
        guard index.name == previous.index.name else {
            throw JSAppsError(
                .staleCatalogue,
                "The index at the address of ‘\(name)’ is that of another catalogue,"
                    + " ‘\(index.name)’.", hint: "Ask its publisher.")
        }
        guard index.sequence >= previous.index.sequence else {
            throw JSAppsError(
                .staleCatalogue,
                "The catalogue ‘\(name)’ has edition \(index.sequence), which is older than"
                    + " \(previous.index.sequence), the newest one seen.",
                hint: "Its server may have been restored from a backup, or someone replays an old"
                    + " edition. Ask its publisher.")
        }
        guard index.sequence > previous.index.sequence || bytes == previous.bytes else {
            throw JSAppsError(
                .staleCatalogue,
                "The catalogue ‘\(name)’ has a second edition \(index.sequence) with other content.",
                hint: "Its publisher must publish a new edition: nervous catalogue make")
        }
    }
}
