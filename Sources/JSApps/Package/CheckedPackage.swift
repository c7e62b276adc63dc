import Auth

/// A package whose files are all read, whose manifest is understood and whose signature, where it has
/// one, is right.
struct CheckedPackage {
    let manifest: Manifest
    /// In byte order of the paths.
    let files: [AppFile]
    /// Who signed it.
    let signer: SignerKey?

    /// The SHA-256 over the path and checksum of every file.
    var contentSHA256: String { Fingerprint.sha256(AppFile.listing(files)) }
}
