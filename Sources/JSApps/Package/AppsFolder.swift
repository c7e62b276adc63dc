import Auth
import Foundation
import Text

/// The folder that holds the installed apps; every call blocks.
struct AppsFolder: Sendable {
    static let contentName = "content"
    static let stagingPrefix = ".staging-"

    /// A moment in an installation at which a crash must leave a whole app or none.
    enum Step: Sendable, CaseIterable {
        case stagingMade, contentWritten, indexWritten, renamed, oldRemoved
    }

    let path: String
    let limits: PackageLimits
    let unpacker: Unpacker
    let now: @Sendable () -> Date
    let reached: @Sendable (Step) -> Void

    /// Makes the folder where it is missing and sweeps what was left behind in it.
    func prepare() throws(JSAppsError) {
        try JSAppsError.wrap("Could not open the folder of the apps") { () throws(SystemError) in
            try Folder.make(path, mode: 0o700)
            var apps = try Folder.open(path)
            // Whoever holds the lock is installing: what lies there is not left over.
            guard try apps.lock(waiting: false) else { return }
            for name in try apps.names() {
                let name = String(decoding: name, as: UTF8.self)
                if name.hasPrefix(Self.stagingPrefix) { try apps.removeTree(name) }
            }
        }
    }

    /// Installs a package, or throws and leaves everything as it was.
    func install(
        _ source: consuming PackageSource, _ terms: InstallTerms = InstallTerms()
    ) throws(JSAppsError) -> Installation {
        let staging = Self.stagingName()
        let apps = try JSAppsError.wrap("Could not make room") { () throws(SystemError) in
            let apps = try locked()
            try apps.makeFolder(staging, mode: 0o700)
            return apps
        }
        do {
            reached(.stagingMade)
            let written = try write(source, into: staging, of: apps, terms)
            let name = written.app.name
            if terms.isDryRun || isInstalled(written) {
                try? apps.removeTree(staging)
                guard !terms.isDryRun else { return written }
            } else {
                try publish(staging, as: name, in: apps)
            }
            return Installation(
                app: try app(name), succession: written.succession, previous: written.previous)
        } catch {
            // The first fault is the one to tell; what stays is swept when the library is opened.
            try? apps.removeTree(staging)
            throw error
        }
    }

    /// Removes an app: it is gone in one step, its files shortly after.
    func uninstall(_ name: AppName) throws(JSAppsError) {
        do throws(SystemError) {
            let apps = try locked()
            let doomed = Self.stagingName()
            try apps.rename(name.text, to: doomed)
            try apps.sync()
            try apps.removeTree(doomed)
        } catch {
            guard error.isMissing else { throw .io("Could not remove the app ‘\(name)’", error) }
            throw .notInstalled(name.text)
        }
    }

    /// Reads one app.
    func app(_ name: AppName) throws(JSAppsError) -> InstalledApp {
        try InstalledApp(folder: path + "/" + name.text, name: name)
    }

    /// The names of all apps, whole or damaged, in order.
    func names() throws(JSAppsError) -> [AppName] {
        try JSAppsError.wrap("Could not list the installed apps") { () throws(SystemError) in
            try Folder.open(path).names()
                .compactMap { AppName(String(decoding: $0, as: UTF8.self)) }
        }
    }

    /// Writes a package beneath a staging folder and brings it to the disk.
    private func write(
        _ source: borrowing PackageSource, into staging: String, of apps: borrowing Folder,
        _ terms: InstallTerms
    ) throws(JSAppsError) -> Installation {
        let root = try JSAppsError.wrap("Could not make room") { () throws(SystemError) in
            let root = try apps.folder(staging)
            try root.makeFolder(Self.contentName)
            return root
        }
        let content = StagingFolder(
            try JSAppsError.wrap("Could not make room") { () throws(SystemError) in
                try root.folder(Self.contentName)
            })
        let package = try source.unpack(limits: limits) { path, bytes throws(JSAppsError) in
            try content.write(path, bytes)
        }
        try content.seal()
        reached(.contentWritten)
        let name = package.manifest.name
        // What is damaged beyond reading is inherited from by nothing.
        let old = try? AppIndex.read(in: path + "/" + name.text, name: name)
        try checkName(of: package)
        let succession = try Succession(
            of: name, package.manifest.version, signer: package.signer,
            contentSHA256: package.contentSHA256, after: old,
            allowsDowngrade: terms.allowsDowngrade)
        let index = try AppIndex(
            package, succession, after: old, archiveSHA256: source.archiveSHA256, installed: now()
        ).encoded()
        try JSAppsError.wrap("Could not write the app's index") { () throws(SystemError) in
            try root.writeDurably(index, to: AppIndex.fileName)
            try root.setMode(0o555)
            try root.sync()
        }
        reached(.indexWritten)
        return Installation(
            app: try InstalledApp(folder: path + "/" + staging, name: name),
            succession: succession, previous: try? app(name).manifest)
    }

    /// Apps that their authors gave different names may have one and the same here: the second is
    /// refused, since it would take the place of the first and inherit what was decided about it.
    private func checkName(of package: CheckedPackage) throws(JSAppsError) {
        let name = package.manifest.name
        guard let known = try? app(name).manifest else { return }
        let (old, new) = (known.publishedName ?? name.text, package.manifest.publishedName)
        guard old != new ?? name.text else { return }
        throw JSAppsError(
            .nameTaken,
            "The app ‘\((new ?? name.text).escapedForDisplay(limit: 80))’ would be named ‘\(name)’"
                + " here, as ‘\(old.escapedForDisplay(limit: 80))’ is, which is another app.",
            hint: "To have the new one, uninstall the other first: nervous uninstall \(name)")
    }

    /// Whether the very same package is there already, and whole.
    private func isInstalled(_ written: Installation) -> Bool {
        guard written.succession.kind == .unchanged, let app = try? app(written.app.name),
            app.index.archiveSHA256 == written.app.index.archiveSHA256
        else { return false }
        return app.index.files.allSatisfy { (try? app.contents(of: $0.path)) != nil }
    }

    /// Puts a written package where it belongs, in one step.
    private func publish(
        _ staging: String, as name: AppName, in apps: borrowing Folder
    ) throws(JSAppsError) {
        try JSAppsError.wrap("Could not put the app in its place") { () throws(SystemError) in
            do throws(SystemError) {
                try apps.rename(staging, to: name.text)
            } catch  where error.isTaken {
                try apps.exchange(staging, with: name.text)
            }
            reached(.renamed)
            try apps.sync()
        }
        // The new version stands; an old one that cannot be removed is swept at the next opening.
        try? apps.removeTree(staging)
        reached(.oldRemoved)
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
