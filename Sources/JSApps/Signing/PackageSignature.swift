import Auth

/// The `signature.json` of a package.
///
/// Its bytes are fixed by the format, and other spellings are rejected; see
/// `docs/package-signatures.md`.
struct PackageSignature {
    static let fileName = "signature.json"

    private let signature: DetachedSignature

    var signer: SignerKey { signature.signer }

    /// Signs a package.
    ///
    /// - Parameter files: its files; a signature among them is ignored.
    init(
        _ manifest: Manifest, _ files: [AppFile], by key: SigningKey
    ) throws(JSAppsError) {
        signature = try DetachedSignature(of: Self.message(manifest, files), by: key)
    }

    /// Parses the file, without verifying it.
    init(parsing bytes: [UInt8]) throws(JSAppsError) {
        signature = try DetachedSignature(parsing: bytes, in: Self.fileName, of: "package")
    }

    /// Verifies that the package is the one that was signed.
    func check(_ manifest: Manifest, _ files: [AppFile]) throws(JSAppsError) {
        guard signature.verifies(Self.message(manifest, files)) else {
            throw .badSignature(
                "The package differs from the one that \(signer.shortFingerprint) signed.",
                hint: "Get it again from its author. If it is yours, sign it again:"
                    + " nervous pack DIR --sign KEY")
        }
    }

    /// The bytes of the file.
    var encoded: [UInt8] { signature.encoded }

    /// The signed message: a line that separates it from other uses of the key, the name, the version,
    /// and the path and checksum of every other file.
    static func message(_ manifest: Manifest, _ files: [AppFile]) -> [UInt8] {
        let listing = AppFile.listing(files.filter { $0.path != fileName })
        let text = """
            nervous package 1
            \(manifest.name)
            \(manifest.version)
            \(Fingerprint.sha256(listing))

            """
        return Array(text.utf8)
    }
}

extension AppFile {
    /// A line for each file, in byte order of the paths: its checksum, two spaces and its path.
    ///
    /// Paths contain no line break, so the listing is unambiguous.
    static func listing(_ files: [AppFile]) -> [UInt8] {
        files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
            .flatMap { Array("\($0.sha256)  \($0.path)\n".utf8) }
    }
}

extension JSAppsError {
    static func badSignature(
        _ message: String, hint: String? = nil, cause: (any Error)? = nil
    ) -> JSAppsError {
        JSAppsError(
            .badSignature, message, hint: hint ?? "Get the package again from its author.",
            cause: cause)
    }
}
