import Auth

/// A package whose files are all read, whose manifest is understood and whose signature, where it has
/// one, is right.
struct CheckedPackage {
    let manifest: Manifest
    /// In byte order of the paths.
    let files: [AppFile]
    /// Who signed it.
    let signer: SignerKey?
    let generation: PackageGeneration
    /// The folder that the files lay in.
    let folder: String
    /// What the pages of a published app may run beside script files, by the path of the page.
    let inlineScripts: [String: [String]]

    /// The SHA-256 over the path and checksum of every file.
    var contentSHA256: String { Fingerprint.sha256(AppFile.listing(files)) }
}
