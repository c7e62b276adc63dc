import Auth
import Foundation
import Samples
import Scheduling
import Text

/// The folder of the installed apps; every call blocks.
struct AppsFolder: Sendable {
    static let contentName = "content"
    static let stagingPrefix = ".staging-"

    /// A step of an installation; a crash after any step leaves a complete app or none.
    enum Step: Sendable, CaseIterable {
        case stagingMade, contentWritten, indexWritten, renamed, oldRemoved
    }

    let path: String
    let limits: PackageLimits
    let unpacker: ArchiveUnpacker
    let time: any TimeSource
    let reached: @Sendable (Step) -> Void

    /// Creates the folder if it is missing, and removes what interrupted installations left.
    func prepare() throws(JSAppsError) {
        try JSAppsError.wrap("Could not open the folder of the apps") { () throws(SystemError) in
            try Folder.make(path, mode: 0o700)
            var apps = try Folder.open(path)
            // The holder of the lock is installing: its staging folder is in use.
            guard try apps.lock(waiting: false) else { return }
            for name in try apps.names() {
                let name = String(decoding: name, as: UTF8.self)
                if name.hasPrefix(Self.stagingPrefix) { try apps.removeTree(name) }
            }
        }
    }

    /// Installs a package; if it throws, nothing has changed.
    func install(
        _ source: PackageSource, _ options: InstallOptions = InstallOptions()
    ) throws(JSAppsError) -> Installation {
        let staging = Self.stagingName()
        let apps = try JSAppsError.wrap("Could not create the staging folder") {
            () throws(SystemError) in
            let apps = try locked()
            try apps.makeFolder(staging, mode: 0o700)
            return apps
        }
        do {
            reached(.stagingMade)
            let written = try write(source, into: staging, of: apps, options)
            let name = written.app.name
            try checkSize(with: staging, replacing: name)
            if options.isDryRun || isInstalled(written) {
                try? apps.removeTree(staging)
                guard !options.isDryRun else { return written }
            } else {
                try publish(staging, as: name, in: apps)
            }
            return Installation(
                app: try app(name), updateCheck: written.updateCheck, previous: written.previous)
        } catch {
            // This error is the one to report; what remains is removed when the library is next
            // opened.
            try? apps.removeTree(staging)
            throw error
        }
    }

    /// Removes an app: renames its folder atomically, then deletes the files.
    func uninstall(_ name: AppName) throws(JSAppsError) {
        do throws(SystemError) {
            let apps = try locked()
            let removed = Self.stagingName()
            try apps.rename(name.text, to: removed)
            try apps.sync()
            try apps.removeTree(removed)
        } catch {
            guard error.isMissing else { throw .io("Could not remove the app ‘\(name)’", error) }
            throw .notInstalled(name.text)
        }
    }

    /// Reads one app.
    func app(_ name: AppName) throws(JSAppsError) -> InstalledApp {
        try InstalledApp(folder: path + "/" + name.text, name: name)
    }

    /// The names of all apps, intact or damaged, in order.
    func names() throws(JSAppsError) -> [AppName] {
        try JSAppsError.wrap("Could not list the installed apps") { () throws(SystemError) in
            try Folder.open(path).names()
                .compactMap { AppName(String(decoding: $0, as: UTF8.self)) }
        }
    }

    /// Checks that all apps with the one in the staging folder, without the version that it replaces, are within
    /// the limit, or take no more than before.
    private func checkSize(with staging: String, replacing name: AppName) throws(JSAppsError) {
        guard limits.installedBytes < .max else { return }
        let (new, old) = (Self.bytes(in: "\(path)/\(staging)"), Self.bytes(in: "\(path)/\(name)"))
        guard new > old else { return }
        let used = Self.bytes(in: path) - old
        guard used > limits.installedBytes else { return }
        throw JSAppsError(
            .tooLarge,
            "All apps together would take \(used >> 20) MiB; they may take \(limits.installedBytes >> 20).",
            hint:
                "Uninstall apps that are no longer needed, or raise budgets.total.diskMiB in config.json."
        )
    }

    private static func bytes(in folder: String) -> Int {
        let files = FileManager.default.enumerator(
            at: URL(filePath: folder), includingPropertiesForKeys: [.fileSizeKey])
        var sum = 0
        while let file = files?.nextObject() as? URL {
            sum += (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
        }
        return sum
    }

    /// Writes a package to a staging folder and syncs it to the disk.
    private func write(
        _ source: PackageSource, into staging: String, of apps: borrowing Folder,
        _ options: InstallOptions
    ) throws(JSAppsError) -> Installation {
        let root = try JSAppsError.wrap("Could not create the staging folder") {
            () throws(SystemError) in
            let root = try apps.folder(staging)
            try root.makeFolder(Self.contentName)
            return root
        }
        let content = StagingFolder(
            try JSAppsError.wrap("Could not create the staging folder") { () throws(SystemError) in
                try root.folder(Self.contentName)
            })
        let package = try source.unpack(limits: limits) { path, bytes throws(JSAppsError) in
            try content.write(path, bytes)
        }
        try content.seal()
        reached(.contentWritten)
        let name = package.manifest.name
        // Nothing is inherited from an unreadable installation.
        let old = try? AppIndex.read(in: path + "/" + name.text, name: name)
        try checkName(of: package)
        let updateCheck = try UpdateCheck(
            of: name, package.manifest.version, signer: package.signer,
            contentSHA256: package.contentSHA256, after: old,
            allowsDowngrade: options.allowsDowngrade)
        let index = try AppIndex(
            package, updateCheck, after: old, archiveSHA256: source.archiveSHA256, installed: now
        ).encoded()
        try JSAppsError.wrap("Could not write the app's index") { () throws(SystemError) in
            try root.writeDurably(index, to: AppIndex.fileName)
            try root.setMode(0o555)
            try root.sync()
        }
        reached(.indexWritten)
        return Installation(
            app: try InstalledApp(folder: path + "/" + staging, name: name),
            updateCheck: updateCheck, previous: try? app(name).manifest)
    }

    /// Different names of nervousnet apps can derive the same `AppName`: the second app is rejected,
    /// because it would replace the first and inherit its decisions.
    private func checkName(of package: CheckedPackage) throws(JSAppsError) {
        let name = package.manifest.name
        guard let known = try? app(name).manifest else { return }
        let (old, new) = (known.publishedName ?? name.text, package.manifest.publishedName)
        guard old != new ?? name.text else { return }
        throw JSAppsError(
            .nameTaken,
            "The app ‘\((new ?? name.text).escapedForDisplay(limit: 80))’ would be named ‘\(name)’,"
                + " the name of another app, ‘\(old.escapedForDisplay(limit: 80))’.",
            hint: "Uninstall the other app first: nervous uninstall \(name)")
    }

    /// Whether the same package is already installed, and intact.
    private func isInstalled(_ written: Installation) -> Bool {
        guard written.updateCheck.kind == .unchanged, let app = try? app(written.app.name),
            app.index.archiveSHA256 == written.app.index.archiveSHA256
        else { return false }
        return app.index.files.allSatisfy { (try? app.contents(of: $0.path)) != nil }
    }

    /// Moves a written package into place atomically.
    private func publish(
        _ staging: String, as name: AppName, in apps: borrowing Folder
    ) throws(JSAppsError) {
        try JSAppsError.wrap("Could not move the app into place") { () throws(SystemError) in
            do throws(SystemError) {
                try apps.rename(staging, to: name.text)
            } catch  where error.isTaken {
                try apps.exchange(staging, with: name.text)
            }
            reached(.renamed)
            try apps.sync()
        }
        // An old version that cannot be removed now is removed when the library is next opened.
        try? apps.removeTree(staging)
        reached(.oldRemoved)
    }

    /// The current time, to the second.
    private var now: Date {
        Date(timeIntervalSince1970: Double(time.now().microseconds / 1_000_000))
    }

    private func locked() throws(SystemError) -> Folder {
        var apps = try Folder.open(path)
        _ = try apps.lock(waiting: true)
        return apps
    }

    private static func stagingName() -> String {
        stagingPrefix + String(UInt64.random(in: .min ... .max), radix: 16)
    }
}

/// Writes the files of one package to a folder that is not yet in use.
///
/// Files get mode 0444, folders 0555 when all files are written.
private final class StagingFolder {
    private let root: Folder
    private var made: Set<SafePath> = []

    init(_ root: consuming Folder) {
        self.root = root
    }

    func write(_ path: SafePath, _ bytes: [UInt8]) throws(JSAppsError) {
        try JSAppsError.wrap("Could not write ‘\(path.shown)’") { () throws(SystemError) in
            for parent in path.parents where made.insert(parent).inserted { try make(parent) }
            try root.writeDurably(bytes, to: path.text)
        }
    }

    /// Makes the folders read-only and syncs them to the disk.
    func seal() throws(JSAppsError) {
        try JSAppsError.wrap("Could not write the app's folders") { () throws(SystemError) in
            for path in made { try Self.seal(try root.folder(path.text)) }
            try Self.seal(root)
        }
    }

    private static func seal(_ folder: borrowing Folder) throws(SystemError) {
        try folder.setMode(0o555)
        try folder.sync()
    }

    private func make(_ path: SafePath) throws(SystemError) {
        guard let name = path.components.last else { return }
        guard let parent = path.parents.last else { return try root.makeFolder(name) }
        try root.folder(parent.text).makeFolder(name)
    }
}
