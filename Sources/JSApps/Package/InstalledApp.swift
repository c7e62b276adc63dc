public import Auth
import Text

/// An app in the library, at the version that was there when it was asked for.
public struct InstalledApp: Sendable {
    /// What the app says about itself.
    public let manifest: Manifest
    /// What was installed.
    public let index: AppIndex

    private let folder: String
    private let files: [String: AppFile]

    /// The app's name.
    public var name: AppName { manifest.name }

    /// The key that signed it; `nil` where none did.
    public let signer: SignerKey?

    /// The form of its package.
    public var generation: PackageGeneration { index.generation ?? .current }

    /// What decisions about it are bound to.
    public var identity: String { index.identity ?? "" }

    /// The app as far as permission is concerned.
    public var declared: DeclaredApp {
        DeclaredApp(
            name: name.text, identity: identity, privileges: manifest.privileges,
            asksAtFirstUse: generation.isPublished)
    }

    /// Loads an app from its folder in the library.
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
    /// The path is looked up in the index and never joined to a folder, so nothing but what was
    /// installed can be read. Size and checksum are those of the installation. Blocks while it reads.
    ///
    /// - Parameter path: A path inside the app's folder, such as `images/icon.png`.
    /// - Throws: ``JSAppsError`` with code `missingFile` where the app has no such file, `damaged`
    ///   where it is not what was installed or the app has been replaced since.
    public func contents(of path: String) throws(JSAppsError) -> [UInt8] {
        // Looking up a longer path, which no app has, could take long.
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
            .damaged, "The files of the app ‘\(app)’ are not those that were installed.",
            hint: "Install it again.", cause: cause)
    }
}
