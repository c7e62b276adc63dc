public import Foundation

/// The installed apps, each in a folder of its own beneath one folder.
///
/// `<apps>/<name>/` holds `index.json` and `content/`. An app is put there, replaced and taken away
/// by renaming, so that whoever looks, at any moment and after any crash, finds a whole app or none.
/// Two processes may share the folder: a lock on it lets one of them change it at a time.
///
/// Everything blocks on a thread of its own and not on the pool that other tasks need.
public actor AppLibrary {
    private let folder: AppsFolder
    /// How large a package may be.
    public nonisolated var limits: PackageLimits { folder.limits }

    private let keys: KeyFolder?
    /// An archive may keep its thread busy for long; what is installed can be read meanwhile.
    private let installer: PackageInstaller
    private let executor = BlockingExecutor(label: "app library")

    /// The executor that blocking calls run on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens the library in a folder, which is made where it is missing, and removes what an
    /// interrupted installation left.
    ///
    /// - Parameters:
    ///   - folder: The folder of the apps; what holds it must exist.
    ///   - limits: How large a package may be.
    ///   - unpacker: What archives are unpacked with.
    ///   - keys: The names of those who sign packages.
    ///   - now: The clock that installations are dated by.
    /// - Throws: ``JSAppsError`` with code `io`.
    public static func open(
        at folder: URL, limits: PackageLimits = PackageLimits(), unpacker: Unpacker,
        keys: KeyFolder? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws(JSAppsError) -> AppLibrary {
        let path = folder.path(percentEncoded: false)
        return try await open(
            AppsFolder(
                path: path, limits: limits, unpacker: unpacker, now: now, reached: { _ in }), keys)
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

    /// Installs an app from a `.zip` or `.nervous` file or a folder, in place of the version that
    /// is there.
    ///
    /// - Throws: ``JSAppsError``; the library is then as it was.
    @discardableResult
    public func install(from source: URL) throws(JSAppsError) -> InstalledApp {
        try folder.install(
            PackageSource.open(
                source.path(percentEncoded: false), limits: folder.limits,
                unpacker: folder.unpacker)
        ).app
    }

    /// Installs an app from the bytes of an archive, in place of the version that is there.
    ///
    /// - Throws: ``JSAppsError``; the library is then as it was.
    @discardableResult
    public func install(archive: [UInt8]) async throws(JSAppsError) -> InstalledApp {
        try await install(archive: archive, under: InstallTerms()).app
    }

    /// Installs an app from the bytes of an archive, or says what installing it would do.
    ///
    /// What a key has signed is replaced only by what the same key has signed, and a newer version
    /// by an older one only where the terms allow it. The very same package is left as it is.
    ///
    /// - Throws: ``JSAppsError``; the library is then as it was.
    public func install(
        archive: [UInt8], under terms: InstallTerms
    ) async throws(JSAppsError) -> Installation {
        try await installer.install(archive, terms)
    }

    /// Removes an app and all its files.
    ///
    /// - Throws: ``JSAppsError`` with code `notInstalled` or `io`.
    public func uninstall(_ name: String) throws(JSAppsError) {
        try folder.uninstall(try Self.checked(name))
    }

    /// The installed apps that are whole, by name.
    ///
    /// - Throws: ``JSAppsError`` with code `io` where the library cannot be read.
    public func apps() throws(JSAppsError) -> [InstalledApp] {
        try folder.names().compactMap { try? folder.app($0) }
    }

    /// The names of installed apps whose files are not those that were installed.
    ///
    /// - Throws: ``JSAppsError`` with code `io` where the library cannot be read.
    public func damagedApps() throws(JSAppsError) -> [AppName] {
        try folder.names().filter { (try? folder.app($0)) == nil }
    }

    /// One installed app.
    ///
    /// - Throws: ``JSAppsError`` with code `notInstalled` or `damaged`.
    public func app(named name: String) throws(JSAppsError) -> InstalledApp {
        try folder.app(try Self.checked(name))
    }

    /// The content of a file of an app, as ``InstalledApp/contents(of:)`` gives it.
    public func contents(of path: String, in app: InstalledApp) throws(JSAppsError) -> [UInt8] {
        try app.contents(of: path)
    }

    /// The names that the person gave to signers; none where the keys are not to be trusted.
    public func signerNames() -> [SignerKey: String] {
        let named = (try? keys?.keys()) ?? []
        return Dictionary(named.map { ($0.key, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// The name of a repository, by the folder that its archive has: without `-master` or `-main`.
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
