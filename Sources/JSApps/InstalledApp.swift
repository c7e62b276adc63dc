public import Auth
public import Foundation
import Text

/// An installed app, at the version that was installed when the library returned it.
///
/// ```swift
/// let app = try await library.app(named: "step-counter")
/// let page = try await library.contents(of: app.generation.page, in: app)
/// ```
public struct InstalledApp: Sendable {
    /// The parsed `package.json`.
    public let manifest: Manifest
    /// The record of the installation.
    public let index: AppIndex

    private let folder: String
    private let files: [String: AppFile]

    /// The app's name.
    public var name: AppName { manifest.name }

    /// The key that signed it; `nil` if it is unsigned.
    public let signer: SignerKey?

    /// The form of its package.
    public var generation: PackageGeneration { index.generation ?? .current }

    /// The identity that decisions about the app belong to.
    public var identity: String { index.identity ?? "" }

    /// The app's declaration, for `Auth`.
    public var declared: DeclaredApp {
        DeclaredApp(
            name: name.text, identity: identity, privileges: manifest.privileges,
            asksAtFirstUse: generation.isPublished)
    }

    /// Loads an app from its folder in the library; throws `notInstalled` or `damaged`.
    init(folder: String, name: AppName) throws(JSAppsError) {
        self.folder = folder
        index = try AppIndex.read(in: folder, name: name)
        files = Dictionary(
            index.files.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        manifest = try Self.manifest(index, files["package.json"], in: folder, app: name)
        signer = index.signer.flatMap { SignerKey($0) }
        guard manifest.name == name, index.name == name.text,
            (signer == nil) == (index.signer == nil)
        else { throw .damaged(name) }
    }

    /// The content of one of the app's files.
    ///
    /// The path is looked up in the index and never joined to a folder, so only installed files can
    /// be read. Size and checksum are verified. Blocks while it reads.
    ///
    /// - Parameter path: a path inside the app's folder, such as `images/icon.png`.
    /// - Throws: ``JSAppsError`` with code `missingFile` if the app has no such file, `damaged` if
    ///   the file has changed or the app has been replaced.
    public func contents(of path: String) throws(JSAppsError) -> [UInt8] {
        // No app has a longer path, and hashing one takes time.
        guard path.utf8.count <= 1024, let file = files[path] else {
            throw JSAppsError(
                .missingFile,
                "The app ‘\(name)’ has no file ‘\(path.escapedForDisplay(limit: 100))’.")
        }
        return try Self.content(of: file, in: folder, app: name)
    }

    private static func manifest(
        _ index: AppIndex, _ file: AppFile?, in folder: String, app: AppName
    ) throws(JSAppsError) -> Manifest {
        let bytes = try file.map { file throws(JSAppsError) in
            try content(of: file, in: folder, app: app)
        }
        if index.generation?.isPublished == true {
            return try Manifest(ofPublished: bytes, folder: index.folder ?? app.text)
        }
        guard let bytes else { throw .damaged(app) }
        return try Manifest(parsing: bytes)
    }

    private static func content(
        of file: AppFile, in folder: String, app: AppName
    ) throws(JSAppsError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            let content = try Folder.open(folder).folder(AppsFolder.contentName)
            bytes = try content.file(file.path).read(atMost: file.size)
        } catch {
            throw .damaged(app, cause: error)
        }
        guard bytes.count == file.size, Fingerprint.sha256(bytes) == file.sha256 else {
            throw .damaged(app)
        }
        return bytes
    }
}

extension JSAppsError {
    static func damaged(_ app: AppName, cause: (any Error)? = nil) -> JSAppsError {
        JSAppsError(
            .damaged, "The files of the app ‘\(app)’ have changed since it was installed.",
            hint: "Install it again.", cause: cause)
    }
}

/// The record of an installation: `index.json`, published atomically together with the app's files.
public struct AppIndex: Sendable, Hashable, Codable {
    /// The format alone, which a file of any later version has too.
    private struct Format: Decodable {
        let format: Int
    }

    private static let newestFormat = 1

    /// The version of the file format: 1.
    public let format: Int
    /// The app's name.
    public let name: String
    /// The app's version.
    public let version: String
    /// The key that signed the package, as text; `nil` if it is unsigned.
    public let signer: String?
    /// The app's identity; `nil` if an earlier version of the host installed it.
    ///
    /// It survives the updates that inherit decisions, and is unique.
    public let identity: String?
    /// The version that this one updated; `nil` if it inherits nothing.
    public let updatedFrom: String?
    /// The time of installation, to the second.
    public let installed: Date
    /// The SHA-256 of the archive in hexadecimal; `nil` if it was installed from a folder.
    public let archiveSHA256: String?
    /// The SHA-256 over the path and checksum of every file, in hexadecimal; independent of how the
    /// files were packed.
    public let contentSHA256: String
    /// The form of the package; `nil` for the current one.
    public let generation: PackageGeneration?
    /// The folder in a nervousnet app's package; `nil` for other apps, whose folder is named like
    /// the app.
    public let folder: String?
    /// CSP sources of the inline scripts of a nervousnet app, by the path of the page; `nil` for
    /// other apps.
    public let inlineScripts: [String: [String]]?
    /// Every file, in byte order of the paths.
    public let files: [AppFile]
}

extension AppIndex {
    static let fileName = "index.json"
    /// Larger than the index of a package at the highest limits.
    private static let largest = 32 << 20

    /// The record of an installation.
    ///
    /// - Parameter old: the record of the app that it replaces.
    init(
        _ package: CheckedPackage, _ updateCheck: UpdateCheck, after old: AppIndex?,
        archiveSHA256: String?, installed: Date
    ) {
        let inherited = updateCheck.reset == nil ? old : nil
        self.init(
            format: 1, name: package.manifest.name.text, version: package.manifest.version,
            signer: package.signer?.text,
            identity: inherited.map(\.identity) ?? Self.newIdentity(package.signer),
            updatedFrom: updateCheck.kind == .update ? inherited?.version : inherited?.updatedFrom,
            installed: Date(
                timeIntervalSince1970: installed.timeIntervalSince1970.rounded(.down)),
            archiveSHA256: archiveSHA256,
            contentSHA256: package.contentSHA256,
            generation: package.generation.isPublished ? package.generation : nil,
            folder: package.generation.isPublished ? package.folder : nil,
            inlineScripts: package.generation.isPublished ? package.inlineScripts : nil,
            files: package.files)
    }

    /// A new identity: the signer, and 128 random bits.
    private static func newIdentity(_ signer: SignerKey?) -> String {
        let random = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        return "\(signer?.fingerprint ?? "unsigned")/\(random.hexadecimal)"
    }

    /// Reads the record in an app's folder; throws `notInstalled` or `damaged`.
    static func read(in folder: String, name: AppName) throws(JSAppsError) -> AppIndex {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Folder.open(folder).file(fileName).read(atMost: largest)
        } catch {
            throw error.isMissing ? .notInstalled(name.text) : .damaged(name, cause: error)
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        if let format = try? decoder.decode(Format.self, from: Data(bytes)).format,
            format > newestFormat
        {
            throw JSAppsError(
                .damaged,
                "The app ‘\(name)’ was installed by a later version of Nervous: its index has format "
                    + "\(format), and this version reads \(newestFormat).",
                hint: "Install that version of Nervous, or install the app again.")
        }
        do {
            let index = try decoder.decode(AppIndex.self, from: Data(bytes))
            guard index.format == newestFormat else { throw JSAppsError.damaged(name) }
            return index
        } catch {
            throw .damaged(name, cause: error)
        }
    }

    func encoded() throws(JSAppsError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(self))
        } catch {
            throw JSAppsError(.io, "The app's index could not be written.", cause: error)
        }
    }
}

extension JSAppsError {
    static func notInstalled(_ name: String) -> JSAppsError {
        JSAppsError(
            .notInstalled, "No app ‘\(name.escapedForDisplay(limit: 80))’ is installed.",
            hint: "List the installed apps with: nervous apps")
    }
}
