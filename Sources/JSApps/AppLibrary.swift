public import Foundation
public import Scheduling

/// The installed apps, each in its own folder.
///
/// `<apps>/<name>/` contains `index.json` and `content/`. Apps are installed, replaced and removed
/// by renaming, so a reader finds a complete app or none, at any moment and after any crash.
/// Processes can share the folder: a lock on it serialises changes.
///
/// Blocking calls run on threads of their own, not on the cooperative pool.
///
/// ```swift
/// let library = try await AppLibrary.open(at: apps, unpacker: ArchiveUnpacker(program: path))
/// let app = try await library.install(from: URL(filePath: "step-counter.zip"))
/// let script = try await library.contents(of: "app.js", in: app)
/// ```
public actor AppLibrary {
    private let folder: AppsFolder
    /// The limits of a package.
    public nonisolated var limits: PackageLimits { folder.limits }

    private let keys: KeyFolder?
    /// Archives take long to check; installed apps can be read meanwhile.
    private let installer: PackageInstaller
    private let executor = BlockingSerialExecutor(label: "app library")

    /// The executor that blocking calls run on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens the library in a folder, creates the folder if it is missing, and removes what
    /// interrupted installations left.
    ///
    /// - Parameters:
    ///   - folder: the folder of the apps; its parent must exist.
    ///   - limits: the limits of a package.
    ///   - unpacker: unpacks archives.
    ///   - keys: the owner's names for signers.
    ///   - time: the clock for the times of installations.
    /// - Throws: ``JSAppsError`` with code `io`.
    public static func open(
        at folder: URL, limits: PackageLimits = PackageLimits(), unpacker: ArchiveUnpacker,
        keys: KeyFolder? = nil,
        time: any TimeSource = .system
    ) async throws(JSAppsError) -> AppLibrary {
        let path = folder.path(percentEncoded: false)
        return try await open(
            AppsFolder(
                path: path, limits: limits, unpacker: unpacker, time: time, reached: { _ in }), keys
        )
    }

    static func open(
        _ folder: AppsFolder, _ keys: KeyFolder? = nil
    ) async throws(JSAppsError) -> AppLibrary {
        let library = AppLibrary(folder, keys)
        try await library.prepare()
        return library
    }

    private init(_ folder: AppsFolder, _ keys: KeyFolder?) {
        self.folder = folder
        self.keys = keys
        installer = PackageInstaller(folder)
    }

    /// Installs an app from a `.zip` or `.nervous` file or a folder, and replaces the installed
    /// version.
    ///
    /// - Throws: ``JSAppsError``; nothing has changed then.
    @discardableResult
    public func install(from source: URL) throws(JSAppsError) -> InstalledApp {
        try folder.install(
            PackageSource.open(
                source.path(percentEncoded: false), limits: folder.limits,
                unpacker: folder.unpacker)
        ).app
    }

    /// Installs an app from the bytes of an archive, and replaces the installed version.
    ///
    /// - Throws: ``JSAppsError``; nothing has changed then.
    @discardableResult
    public func install(archive: [UInt8]) async throws(JSAppsError) -> InstalledApp {
        try await install(archive: archive, with: InstallOptions()).app
    }

    /// Installs an app from the bytes of an archive, or reports what installing it would do.
    ///
    /// A signed app is replaced only by a package of the same signer, and a newer version by an
    /// older one only if `options` allow it. The same package is not installed twice.
    ///
    /// - Throws: ``JSAppsError``; nothing has changed then.
    public func install(
        archive: [UInt8], with options: InstallOptions
    ) async throws(JSAppsError) -> Installation {
        try await installer.install(.archive(archive, folder.unpacker), options)
    }

    /// Installs an app from a folder that has been read and checked, or reports what that would do.
    ///
    /// The rules are those of ``install(archive:with:)``; no archive is written or unpacked.
    ///
    /// ```swift
    /// let folder = try AppFolder(reading: URL(filePath: "step-counter"), limits: library.limits)
    /// let installation = try await library.install(folder, with: InstallOptions())
    /// ```
    ///
    /// - Throws: ``JSAppsError``; nothing has changed then.
    public func install(
        _ folder: AppFolder, with options: InstallOptions = InstallOptions()
    ) async throws(JSAppsError) -> Installation {
        try await installer.install(.folder(folder), options)
    }

    /// Removes an app and its files.
    ///
    /// - Throws: ``JSAppsError`` with code `notInstalled` or `io`.
    public func uninstall(_ name: String) throws(JSAppsError) {
        try folder.uninstall(try Self.checked(name))
    }

    /// The intact installed apps, by name.
    ///
    /// - Throws: ``JSAppsError`` with code `io` if the library cannot be read.
    public func apps() throws(JSAppsError) -> [InstalledApp] {
        try folder.names().compactMap { try? folder.app($0) }
    }

    /// The names of the damaged apps, whose files have changed since their installation.
    ///
    /// - Throws: ``JSAppsError`` with code `io` if the library cannot be read.
    public func damagedApps() throws(JSAppsError) -> [AppName] {
        try folder.names().filter { (try? folder.app($0)) == nil }
    }

    /// One installed app.
    ///
    /// - Throws: ``JSAppsError`` with code `notInstalled` or `damaged`.
    public func app(named name: String) throws(JSAppsError) -> InstalledApp {
        try folder.app(try Self.checked(name))
    }

    /// The content of a file of an app; see ``InstalledApp/contents(of:)``.
    public func contents(of path: String, in app: InstalledApp) throws(JSAppsError) -> [UInt8] {
        try app.contents(of: path)
    }

    /// The owner's names for signers; empty if the keys cannot be trusted.
    public func signerNames() -> [SignerKey: String] {
        let named = (try? keys?.keys()) ?? []
        return Dictionary(named.map { ($0.key, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// The name of a repository, given the folder in its archive: without `-master` or `-main`.
    public static func repository(_ folder: String) -> String {
        PublishedName.repository(folder)
    }

    private func prepare() throws(JSAppsError) {
        try folder.prepare()
    }

    private static func checked(_ name: String) throws(JSAppsError) -> AppName {
        guard let checked = AppName(name) else { throw .notInstalled(name) }
        return checked
    }
}

/// Installs packages one after the other, on a thread of its own.
private actor PackageInstaller {
    private let folder: AppsFolder
    private let executor = BlockingSerialExecutor(label: "package installer")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(_ folder: AppsFolder) {
        self.folder = folder
    }

    func install(
        _ source: PackageSource, _ options: InstallOptions
    ) throws(JSAppsError) -> Installation {
        try folder.install(source, options)
    }
}
