import Auth
import Text

/// Takes in the files of one package, from wherever they come, and knows in the end what it is.
struct PackageIntake {
    /// What the pages of the first generation load.
    private static let firstMark = Array("/nervous-resources/".utf8)

    private let limits: PackageLimits
    private var files: [AppFile] = []
    private var manifest: [UInt8]?
    private var signature: [UInt8]?
    private var inlineScripts: [String: [String]] = [:]
    /// Whether the page is one of the first generation.
    private var isFirst = false
    private var size = 0

    init(limits: PackageLimits) {
        self.limits = limits
    }

    /// Counts a file by its path inside the app's folder.
    mutating func add(_ path: SafePath, _ bytes: [UInt8]) throws(JSAppsError) {
        guard bytes.count <= limits.fileBytes else { throw .tooLarge(path, limits) }
        size += bytes.count
        guard size <= limits.unpackedBytes else { throw .tooMuch(limits) }
        switch path.text {
        case "package.json": manifest = bytes
        case PackageSignature.fileName: signature = bytes
        case "app.html": isFirst = bytes.firstRange(of: Self.firstMark) != nil
        default: break
        }
        if [".html", ".htm"].contains(where: path.text.lowercased().hasSuffix) {
            let hashes = InlineScripts(in: bytes).hashes
            if !hashes.isEmpty { inlineScripts[path.text] = hashes }
        }
        files.append(
            AppFile(path: path.text, size: bytes.count, sha256: Fingerprint.sha256(bytes)))
    }

    /// Reads the manifest, compares its name with that of the folder, and checks the signature.
    func finish(_ layout: PackageLayout) throws(JSAppsError) -> CheckedPackage {
        let (generation, manifest) = try manifest(layout)
        let sorted = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        var signer: SignerKey?
        if let signature {
            let signature = try PackageSignature(parsing: signature)
            try signature.check(manifest, sorted)
            signer = signature.signer
        }
        return CheckedPackage(
            manifest: manifest, files: sorted, signer: signer, generation: generation,
            folder: layout.folder, inlineScripts: generation.isPublished ? inlineScripts : [:])
    }

    private func manifest(
        _ layout: PackageLayout
    ) throws(JSAppsError) -> (PackageGeneration, Manifest) {
        if layout.isAxon {
            guard let bytes = manifest else { throw .missing("package.json") }
            return (.axon, try Manifest(ofPublished: bytes, folder: layout.folder))
        }
        let declares = try manifest.map { bytes throws(JSAppsError) in
            try Manifest.declaresPrivileges(bytes)
        }
        if isFirst, declares != true {
            return (.first, try Manifest(ofPublished: manifest, folder: layout.folder))
        }
        guard let folder = AppName(layout.folder) else {
            throw JSAppsError(
                .wrongFolderName,
                "The app's folder ‘\(layout.folder.escapedForDisplay(limit: 80))’ is not kebab-case.",
                hint: "Use up to 64 of a–z and 0–9, words joined by ‘-’, such as ‘step-counter’.")
        }
        guard let bytes = manifest else { throw .missing("package.json") }
        let manifest = try Manifest(parsing: bytes)
        guard manifest.name == folder else {
            throw JSAppsError(
                .wrongFolderName,
                "The app's folder is named ‘\(folder)’ and its package.json ‘\(manifest.name)’.",
                hint: "Give both the same name.")
        }
        return (.current, manifest)
    }
}
