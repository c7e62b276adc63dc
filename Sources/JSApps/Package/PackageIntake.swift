import Auth

/// Takes in the files of one package, from wherever they come, and knows in the end what it is.
struct PackageIntake {
    private let limits: PackageLimits
    private let folder: AppName
    private var files: [AppFile] = []
    private var manifest: [UInt8] = []
    private var signature: [UInt8]?
    private var size = 0

    /// Begins with a package whose folder has a name.
    init(folder: AppName, limits: PackageLimits) {
        self.folder = folder
        self.limits = limits
    }

    /// Counts a file by its path inside the app's folder.
    mutating func add(_ path: SafePath, _ bytes: [UInt8]) throws(JSAppsError) {
        guard bytes.count <= limits.fileBytes else { throw .tooLarge(path, limits) }
        size += bytes.count
        guard size <= limits.unpackedBytes else { throw .tooMuch(limits) }
        if path.text == "package.json" { manifest = bytes }
        if path.text == PackageSignature.fileName { signature = bytes }
        files.append(
            AppFile(path: path.text, size: bytes.count, sha256: Fingerprint.sha256(bytes)))
    }

    /// Reads the manifest, compares its name with that of the folder, and checks the signature.
    func finish() throws(JSAppsError) -> CheckedPackage {
        let manifest = try Manifest(parsing: manifest)
        guard manifest.name == folder else {
            throw JSAppsError(
                .wrongFolderName,
                "The app's folder is named ‘\(folder)’ and its package.json ‘\(manifest.name)’.",
                hint: "Give both the same name.")
        }
        let sorted = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        var signer: SignerKey?
        if let signature {
            let signature = try PackageSignature(parsing: signature)
            try signature.check(manifest, sorted)
            signer = signature.signer
        }
        return CheckedPackage(manifest: manifest, files: sorted, signer: signer)
    }
}
