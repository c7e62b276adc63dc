import API
import ArgumentParser
import Auth
import Egress
import Foundation
import Host
import JSApps

/// Installs an app.
struct InstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install an app from a .zip or .nervous file, a folder or a URL, or by name.",
        discussion: """
            Examples:
              nervous install hello-sensors        a bundled app: nervous apps --available
              nervous install hello-sensors.zip
              nervous install https://example.org/hello-sensors.zip
              nervous install hello-sensors-1.1.0.zip --dry-run    show the changes
            The name of a bundled app is enough, unless a file or folder here has that name.
            Installing runs nothing and grants nothing: an app asks when you first run it,
            and an update asks for privileges that are new or wider. A signed app can be
            updated only by a package with the same signer.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(
        help:
            "The package, the folder of an app, the http or https URL of a package, or the name of a bundled app.",
        completion: .names(.bundledApp))
    var package: String

    @OptionGroup var choice: InstallChoice

    func run() async throws {
        let source = try source()
        try await HostSession.with(options.host) { session in
            let reply = try await install(source, with: session.client)
            try choice.show(reply, options)
        }
    }

    private enum Source {
        case download(PackageDownload)
        case local(PackageArgument)
    }

    private func source() throws -> Source {
        if DownloadAddress.isAddress(package) { return .download(try PackageDownload(package)) }
        let path = BundledContent().item(.app, namedBy: package)?.path ?? package
        return .local(
            try PackageArgument(path: path, limits: options.host.configuration.packages))
    }

    private func install(
        _ source: Source, with client: APIClient
    ) async throws -> APIReply<AppDescription> {
        switch source {
        case .download(let download):
            try await download.install(
                with: client, options.console, isDryRun: choice.dryRun,
                allowsDowngrade: choice.allowDowngrade)
        case .local(let package):
            try await client.install(
                package, isDryRun: choice.dryRun, allowsDowngrade: choice.allowDowngrade)
        }
    }
}

/// How an app is installed, for the commands that do.
struct InstallChoice: ParsableArguments {
    @Flag(help: "Show what installing would change, without installing.")
    var dryRun = false

    @Flag(
        help:
            "Allow an older version to replace a newer one; all decisions about the app are forgotten."
    )
    var allowDowngrade = false

    /// Prints what was installed, or what would change.
    func show(_ reply: APIReply<AppDescription>, _ options: GlobalOptions) throws {
        guard !options.json else { return options.console.print(json: reply.json) }
        let app = try reply.value
        InstallReport(app: app, isDryRun: dryRun).lines.forEach(options.console.print)
        if !dryRun { options.console.say("Run it with: nervous run \(app.name)") }
    }
}

/// Uninstalls an app with its permissions.
struct UninstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Uninstall an app with its permissions and tokens.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's name; see: nervous apps.", completion: .names(.app))
    var app: String

    func run() async throws {
        try await HostSession.with(options.host) { session in
            try await session.client.uninstall(app)
            if options.json {
                try options.console.print(encoding: ["uninstalled": app])
            } else {
                options.console.print("Uninstalled \(app) with its permissions and tokens.")
            }
        }
    }
}

/// The package that an argument of a command refers to, read into memory.
enum PackageArgument {
    /// The bytes of a package.
    case archive(Data)
    /// The files of an app's folder.
    case folder(FolderPackage)

    /// Whether an argument is a path rather than the name of an installed app.
    static func isPath(_ word: String) -> Bool {
        word.contains("/") || word.hasSuffix(".zip") || word.hasSuffix(".nervous")
    }

    /// Reads the archive or the folder at a path.
    init(path: String, limits: PackageLimits) throws {
        // The message must not contain the URL, which may contain a password.
        guard !DownloadAddress.isAddress(path) else {
            throw CommandFailure(
                .usage, "A URL cannot be run; install it first.",
                hint: "Use: nervous install URL", type: "usage")
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(
                .noInput, "No file or folder at \(path).",
                hint: "Give the path of a .zip or .nervous package, or of an app's folder"
                    + BundledContent().alternatives(.app),
                type: "input-missing")
        }
        guard !isFolder.boolValue else {
            let folder = try AppFolder(
                reading: URL(filePath: path).standardizedFileURL, limits: limits)
            self = .folder(
                FolderPackage(
                    name: folder.name,
                    files: folder.files.map { .init(path: $0.path, content: Data($0.bytes)) }))
            return
        }
        let limit = limits.archiveBytes
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(
                .noInput, "Cannot read \(path).", hint: "Check its permissions: ls -l \(path)")
        }
        let data = try file.read(upToCount: limit + 1) ?? Data()
        guard data.count <= limit else {
            throw CommandFailure(
                .badData, "\(path) exceeds the limit of a package, \(limit) bytes.",
                type: "too-large")
        }
        self = .archive(data)
    }
}

extension APIClient {
    /// Installs an app from an archive or from the files of its folder.
    func install(
        _ source: PackageArgument, isDryRun: Bool = false, allowsDowngrade: Bool = false
    ) async throws -> APIReply<AppDescription> {
        switch source {
        case .archive(let data):
            try await install(data, isDryRun: isDryRun, allowsDowngrade: allowsDowngrade)
        case .folder(let folder):
            try await install(folder, isDryRun: isDryRun, allowsDowngrade: allowsDowngrade)
        }
    }
}
