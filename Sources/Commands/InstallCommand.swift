import ArgumentParser
import Auth
import Foundation
import Host
import JSApps
import Provider

/// Installs an app.
struct InstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install an app from a .zip or .nervous file, from its folder or from a URL.",
        discussion: """
            Examples:
              nervous install hello-sensors.zip
              nervous install https://example.org/hello-sensors.zip
              nervous install hello-sensors-1.1.0.zip --dry-run    what an update would change
            Installing runs nothing and allows nothing: an app asks when you first run it, and an
            update asks for what is new or more than before. What a key has signed is updated only
            by what the same key has signed.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "The package, the folder of an app, or the http or https URL of a package.",
        completion: .file())
    var package: String

    @Flag(help: "Show what installing would change, and change nothing.")
    var dryRun = false

    @Flag(help: "Let an older version take the place of a newer one; every decision is forgotten.")
    var allowDowngrade = false

    func run() async throws {
        let limits = try options.host.configuration.packages
        let archive =
            if PackageAddress.isAddress(package) {
                try await PackageDownload(
                    address: PackageAddress(package), limit: limits.archiveBytes,
                    console: options.console
                ).archive()
            } else {
                try PackageFile(path: package, limits: limits).archive()
            }
        try await HostSession.with(options.host) { session in
            let data = try await session.client.data(
                .post, "/api/v1/apps",
                query: [
                    ("dryRun", dryRun ? "true" : nil),
                    ("allowDowngrade", allowDowngrade ? "true" : nil),
                ], body: archive, type: "application/zip")
            guard !options.json else { return options.console.print(json: data) }
            let app = try JSONDecoder().decode(AppDescription.self, from: data)
            InstallReport(app: app, isDryRun: dryRun).lines.forEach(options.console.print)
            if !dryRun { options.console.say("Run it with: nervous run \(app.name)") }
        }
    }
}

/// Removes an app with its permissions.
struct UninstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Remove an app, what you allowed it, and its tokens.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's name; see: nervous apps.")
    var app: String

    func run() async throws {
        try await HostSession.with(options.host) { session in
            _ = try await session.client.data(.delete, "/api/v1/apps/\(ControlClient.segment(app))")
            if options.json {
                options.console.print("{\"uninstalled\":\"\(app)\"}")
            } else {
                options.console.print("Removed \(app), its permissions and its tokens.")
            }
        }
    }
}

/// A package that a person named: an archive, or a folder that is packed on the way.
struct PackageFile {
    let path: String
    let limits: PackageLimits

    /// Whether a word is meant as a path and not as the name of an installed app.
    static func isPath(_ word: String) -> Bool {
        word.contains("/") || word.hasSuffix(".zip") || word.hasSuffix(".nervous")
    }

    func archive() throws -> Data {
        // Not to be named in a message: it may hold a password.
        guard !PackageAddress.isAddress(path) else {
            throw CommandFailure(
                .usage, "Only what is on this machine can be run; a URL is installed first.",
                hint: "Use: nervous install URL", type: "usage")
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(
                .noInput, "There is no file or folder \(path).",
                hint: "Give the path of a .zip or .nervous package, or of an app's folder.",
                type: "input-missing")
        }
        if isFolder.boolValue { return Data(try Packer(limits: limits).pack(URL(filePath: path))) }
        let limit = limits.archiveBytes
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(
                .noInput, "\(path) cannot be read.", hint: "Check its permissions: ls -l \(path)")
        }
        let data = try file.read(upToCount: limit + 1) ?? Data()
        guard data.count <= limit else {
            throw CommandFailure(
                .badData, "\(path) is larger than a package may be, which is \(limit) bytes.",
                type: "too-large")
        }
        return data
    }
}
