import Archive
import Auth
import Text

/// The limits of a package, enforced on the bytes read rather than on what headers claim.
public struct PackageLimits: Sendable, Hashable {
    /// Bytes of the archive.
    public var archiveBytes = 20 << 20
    /// Bytes of all files together, unpacked.
    public var unpackedBytes = 64 << 20
    /// Bytes of one file, unpacked.
    public var fileBytes = 16 << 20
    /// Files and folders.
    public var entries = 2000
    /// UTF-8 bytes of a path.
    public var pathBytes = 240
    /// Components of a path.
    public var depth = 16
    /// Bytes of all installed apps together.
    public var installedBytes = Int.max

    /// The default limits.
    public init() {}

    /// The limits that the unpacker enforces.
    var archive: ArchiveLimits {
        ArchiveLimits(
            archiveBytes: archiveBytes, unpackedBytes: unpackedBytes, fileBytes: fileBytes,
            entries: entries)
    }
}

/// A package whose files, manifest and, if it has one, signature have been checked.
public struct CheckedPackage: Sendable {
    /// The parsed `package.json`.
    public let manifest: Manifest
    /// The files, in byte order of the paths.
    public let files: [AppFile]
    /// The key that signed it; `nil` if it is unsigned.
    public let signer: SignerKey?
    /// The form of the package.
    public let generation: PackageGeneration
    /// The folder of its files.
    let folder: String
    /// CSP sources of the inline scripts of a nervousnet app, by the path of the page.
    let inlineScripts: [String: [String]]

    /// The SHA-256 over the path and checksum of every file, in hexadecimal.
    public var contentSHA256: String { Fingerprint.sha256(AppFile.listing(files)) }
}

/// One file of an app, as it was installed.
public struct AppFile: Sendable, Hashable, Codable {
    /// The path inside the app's folder, such as `images/icon.png`.
    public let path: String
    /// The size in bytes.
    public let size: Int
    /// The SHA-256 of the content, in hexadecimal.
    public let sha256: String
}

/// The form of package that an app was written for.
public enum PackageGeneration: String, Sendable, Hashable, Codable {
    /// Written for this host: `app.html`, `app.js` and a `package.json` that declares privileges.
    case current
    /// The first published generation: `app.html` and `app.js` that load `/nervous-resources/…` or
    /// `../nervousAPI.js`; it may lack a `package.json` and never declares privileges.
    case first
    /// The second published generation, axons: `axon.html`, `axon.js` and a `package.json` without
    /// privileges.
    case axon

    /// The app's script.
    public var script: String { self == .axon ? "axon.js" : "app.js" }

    /// The app's page, served at its origin's root.
    public var page: String { self == .axon ? "axon.html" : "app.html" }

    /// Whether it is one of the two published generations: any name is accepted, and privileges are
    /// requested at first use.
    public var isPublished: Bool { self != .current }
}

/// Checks the files of one package, from a folder or an archive, as they are read.
struct PackageIntake {
    /// Paths that pages of the first generation load.
    private static let firstMarks = ["/nervous-resources/", "../nervousAPI.js"].map {
        Array($0.utf8)
    }

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

    /// Adds a file by its path inside the app's folder.
    mutating func add(_ path: SafePath, _ bytes: [UInt8]) throws(JSAppsError) {
        guard bytes.count <= limits.fileBytes else { throw .tooLarge(path, limits) }
        size += bytes.count
        guard size <= limits.unpackedBytes else { throw .tooLargeUnpacked(limits) }
        switch path.text {
        case "package.json": manifest = bytes
        case PackageSignature.fileName: signature = bytes
        case "app.html": isFirst = Self.firstMarks.contains { bytes.firstRange(of: $0) != nil }
        default: break
        }
        if [".html", ".htm"].contains(where: path.text.lowercased().hasSuffix) {
            let hashes = InlineScripts(in: bytes).hashes
            if !hashes.isEmpty { inlineScripts[path.text] = hashes }
        }
        files.append(
            AppFile(path: path.text, size: bytes.count, sha256: Fingerprint.sha256(bytes)))
    }

    /// Parses the manifest, compares its name with the folder's, and verifies the signature.
    func finish(_ layout: PackageLayout) throws(JSAppsError) -> CheckedPackage {
        let (generation, manifest) = try manifest(layout)
        guard !ReservedNames.contains(manifest.name.text) else { throw .reserved(manifest) }
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
                hint: "Use up to 64 characters, a–z and 0–9, as words joined by ‘-’, such as"
                    + " ‘step-counter’.")
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

/// The arrangement of a package's files: one folder with a script and a page.
struct PackageLayout {
    /// The name of the one folder that contains all files.
    let folder: String
    /// Whether script and page are those of an axon.
    let isAxon: Bool

    /// Checks that all files are in one folder and that it has a script and a page.
    init(files: [SafePath], folders: [SafePath]) throws(JSAppsError) {
        guard let first = files.first?.components.first else {
            throw JSAppsError(.missingFile, "The package has no files.")
        }
        let tops = Set((files + folders).compactMap(\.components.first))
        if tops.contains("__MACOSX") {
            throw JSAppsError(
                .wrongFolderName,
                "The package has a second folder, ‘__MACOSX’, beside the app's folder.",
                hint: "The Finder of macOS adds it; pack with ‘nervous pack’ or ‘zip -r -X’.")
        }
        if let stray = files.first(where: { $0.components.count == 1 }) {
            throw JSAppsError(
                .wrongFolderName, "‘\(stray.shown)’ is outside the app's folder.",
                hint: "Put all files into a folder with the name of the app, and pack that folder.")
        }
        guard tops.count == 1 else {
            throw JSAppsError(
                .wrongFolderName,
                "The package has \(tops.count) folders at the top; it must have one.")
        }
        let names = Set(files.filter { $0.components.count == 2 }.map { $0.components[1] })
        folder = first
        isAxon =
            ["app.js", "app.html"].allSatisfy { !names.contains($0) }
            && ["axon.js", "axon.html"].contains(where: names.contains)
        let generation: PackageGeneration = isAxon ? .axon : .current
        for file in [generation.script, generation.page] where !names.contains(file) {
            throw .missing(file)
        }
    }
}

extension JSAppsError {
    fileprivate static func missing(_ file: String) -> JSAppsError {
        JSAppsError(.missingFile, "The package has no ‘\(file)’ in its folder.")
    }
}

extension JSAppsError {
    /// The name of a package is in ``ReservedNames``.
    fileprivate static func reserved(_ manifest: Manifest) -> JSAppsError {
        let name = manifest.name
        return JSAppsError(
            .nameTaken,
            manifest.publishedName.map {
                "The app ‘\($0.escapedForDisplay(limit: 80))’ would be named ‘\(name)’, which is reserved."
            } ?? "The name ‘\(name)’ is reserved.",
            hint: "An app needs another name, such as ‘my-\(name)’.")
    }
}
