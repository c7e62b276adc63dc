import API
import AppLab
import AppRuns
import ArgumentParser
import Auth
import Foundation
import Host
import JSApps
import Samples
import Synchronization
import Text

/// Runs an app headless, with this terminal as its console.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract:
            "Run an app in this terminal: install it if needed, ask for permissions, and show its output.",
        discussion: """
            Examples:
              nervous run hello-sensors
              nervous run ./hello-sensors.zip
              nervous run load-watch --for 30s
              nervous run hello-sensors --view      (show the text of its page)
              nervous run ./my-app --watch         (restart it when a file changes)
              nervous run load-watch --background
              nervous run ./my-app --replay walk.trace --speed 10x   (see: nervous record)
              nervous run hello-sensors --allow sensor:cpu --deny sensor:memory

            A name refers to an installed app; if there is none, the bundled app of this
            name is installed first. An argument that contains / is a path.
            -P decides about what the set lists and the app declares, for this run.
            What you allow “always” is stored; see `nervous permissions`. Without a
            terminal you cannot be asked: unless stored decisions and options decide about
            each privilege, the app is not run, and the exit code is 77.
            An app written for nervousnet, the predecessor of Nervous, declares no
            privileges: it asks for each sensor on first use, and continues if you deny it.
            The exit code is that of the app: 0, 1 after an uncaught error, or the argument
            of nervous.exit. docs/configuration.md lists the others, such as 124 when a
            budget is exceeded.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(
        help:
            "An installed or bundled app, a package, or the path of an app's folder, such as ./my-app.",
        completion: .names(.appToRun))
    var app: String

    @Option(
        help: """
            Allow a privilege for this run, such as sensor:cpu or sensor:cpu:stats, or some sensors of a \
            kind, such as sensor:network=network.eth0; may be repeated.
            """, completion: .names(.privilege))
    var allow: [String] = []

    @Option(
        help: "Deny a privilege for this run; overrides --allow; may be repeated.",
        completion: .names(.privilege))
    var deny: [String] = []

    @OptionGroup var sets: PermissionSetOptions

    @Flag(help: "Allow all declared privileges for this run.")
    var allowAll = false

    @Flag(
        help:
            "Allow an older version to replace a newer one; all decisions about the app are forgotten."
    )
    var allowDowngrade = false

    @Flag(help: "Do not ask; deny everything that is not allowed.")
    var noPrompt = false

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("End the run after this time, such as 10s.", valueName: "duration"))
    var duration: String?

    @Flag(help: "Print the visible text of the app's page when it changes.")
    var view = false

    @Flag(help: "Print the document of the app's page as HTML at the end.")
    var html = false

    @Flag(
        help: "Run in the background, under nervous serve; the app is restarted when it fails.")
    var background = false

    @Option(
        help: ArgumentHelp(
            "Replay this trace instead of reading sensors; see: nervous record.", valueName: "file"),
        completion: .file())
    var replay: String?

    @Option(
        help: ArgumentHelp(
            "The speed of the replay, such as 2.5x, or max.", valueName: "speed"))
    var speed = "1x"

    @Flag(help: "Restart the app of a folder when a file in it changes.")
    var watch = false

    @Flag(
        name: .customLong("insecure-no-sandbox"),
        help:
            "Run without confinement, for a kernel that does not support it. The app can then do anything."
    )
    var isInsecure = false

    func validate() throws {
        guard !app.isEmpty else { throw ValidationError("The name of an app is not empty.") }
        for text in allow where FlagDecisions.flag(text, .allowOnce) == nil {
            throw ValidationError(
                "\(text) is not a privilege, such as sensor:cpu, or sensor:network=network.eth0 for"
                    + " one of several sensors.")
        }
        for text in deny where PrivilegeID(text) == nil {
            throw ValidationError("\(text) is not a privilege, such as sensor:cpu.")
        }
        if let duration, Duration(span: duration) == nil {
            throw ValidationError("--for takes a duration such as 10s or 5m.")
        }
        if duration != nil, background {
            throw ValidationError("--for and --background cannot be combined; use nervous stop.")
        }
        if watch {
            // An installed app changes only by an update.
            var isFolder: ObjCBool = false
            guard PackageArgument.isPath(app),
                FileManager.default.fileExists(atPath: app, isDirectory: &isFolder),
                isFolder.boolValue
            else {
                throw ValidationError(
                    "--watch requires the folder of an app, such as ./my-app, instead of an installed"
                        + " app.")
            }
            guard !background, replay == nil, duration == nil else {
                throw ValidationError(
                    "--watch cannot be combined with --background, --replay or --for.")
            }
        }
        if replay != nil, background {
            throw ValidationError("--replay and --background cannot be combined.")
        }
        guard VirtualSetup.Speed(speed) != nil else {
            throw ValidationError("--speed takes max, or a number and x such as 1x or 2.5x.")
        }
        if view || html, background {
            throw ValidationError("--background cannot be combined with --view or --html.")
        }
    }

    func run() async throws {
        let options = options
        if let trace = try replay.map({ try Trace(file: $0) }),
            let speed = VirtualSetup.Speed(speed)
        {
            let (ended, isAnswered) = try await ReplayHost.with(
                trace, speed: speed, usesInstalled: !PackageArgument.isPath(app), options.host
            ) { session in try await perform(session, trace) }
            return try report(ended, isAnswered: isAnswered)
        }
        let (ended, isAnswered) = try await HostSession.with(options.host, collects: true) {
            session in
            if watch { return try await performAndWatch(session) }
            return try await perform(session)
        }
        try report(ended, isAnswered: isAnswered)
    }

    /// Performs one run of the app, including prompts.
    ///
    /// - Parameter end: stops the run when it returns.
    func perform(
        _ session: HostSession, _ trace: Trace? = nil,
        until end: (@Sendable () async -> Void)? = nil
    ) async throws -> (RunDescription, isAnswered: Bool) {
        if background {
            // A host without port ends with its command.
            let status = try await session.client.status().value
            guard !session.isOwn, status.port != nil else { throw Self.noHost }
        }
        let item = try await installed(session)
        let prepared = try await PreparedRun.prepare(
            item.name, inBackground: background, session)
        do {
            let set = try sets.permissions(options.host)
            let flags = try FlagDecisions(
                set, allow: allow, deny: deny, allowAll: allowAll, declared: item.privileges,
                asksAtFirstUse: item.generation != nil)
            let consent = Consent(
                app: item, run: prepared, session: session, console: options.console,
                flags: flags, canPrompt: !noPrompt)
            try await consent.obtain()
            guard !background else {
                return (try await prepared.start(insecure: isInsecure, session), true)
            }
            return try await ForegroundRun(
                prepared: prepared, session: session, console: options.console, consent: consent,
                duration: trace == nil ? duration.flatMap { Duration(span: $0) } : nil,
                isInsecure: isInsecure, showsText: view, showsMarkup: html,
                lifetime: lifetime(of: trace), end: end
            ).run()
        } catch {
            await prepared.stop(session)
            throw error
        }
    }

    /// The virtual time of a replay: the whole trace including its last sample, or less with
    /// `--for`.
    private func lifetime(of trace: Trace?) -> Duration? {
        guard let trace else { return nil }
        let whole = trace.length + .milliseconds(1)
        return min(whole, duration.flatMap { Duration(span: $0) } ?? whole)
    }

    /// - Parameter isAnswered: whether all requests of the app were decided.
    func report(_ run: RunDescription, isAnswered: Bool) throws {
        guard let ending = run.ending else {
            if options.json {
                options.console.print(json: try JSONEncoder().encode(run))
            } else {
                options.console.print("\(run.app) runs in the background, as run \(run.run).")
                options.console.say("Stop it with: nervous stop \(run.app)")
            }
            return
        }
        if let failureMessage = run.failureMessage {
            options.console.report(CommandFailure(.failed, failureMessage, type: ending.name))
        }
        let isTimely = duration != nil && ending.name == "stopped"
        let code = isTimely ? 0 : ending.exitCode
        throw ExitCode(
            code == 0 && !isAnswered ? CommandFailure.Code.noPermission.rawValue : code)
    }

    private static var noHost: CommandFailure {
        CommandFailure(
            .unavailable, "No serving host.",
            hint: "Start one with: nervous serve", type: "not-serving")
    }

    // MARK: - Before the run

    private func installed(_ session: HostSession) async throws -> AppDescription {
        guard PackageArgument.isPath(app) else {
            do {
                return try await session.client.app(app).value
            } catch let error as APIError {
                let failure = CommandFailure(error)
                guard failure.code == .noInput else { throw failure }
                return try await bundled(session, unless: failure)
            }
        }
        return try await installed(from: app, session)
    }

    /// Installs the bundled app of this name.
    ///
    /// - Throws: the failure with a hint for this word, if there is no such app, or a file of this
    ///   name could be meant.
    private func bundled(
        _ session: HostSession, unless failure: CommandFailure
    ) async throws -> AppDescription {
        let content = BundledContent()
        func failed(_ hint: String) -> CommandFailure {
            CommandFailure(failure.code, failure.message, hint: hint, type: failure.type)
        }
        guard !FileManager.default.fileExists(atPath: app) else {
            throw failed("To run the folder: nervous run ./\(app)")
        }
        guard let item = content.item(.app, namedBy: app) else {
            throw failed(
                "List the installed apps with: nervous apps, or give the path of an app"
                    + content.alternatives(.app))
        }
        // A replay uses the installed apps and must not change them.
        guard replay == nil else { throw failed("Install it with: nervous install \(app)") }
        if !options.json { options.console.say("\(app) is not installed: taking the bundled app.") }
        return try await installed(from: item.path, session)
    }

    /// Installs the package or folder at a path.
    private func installed(
        from path: String, _ session: HostSession
    ) async throws -> AppDescription {
        let source = try PackageArgument(
            path: path, limits: options.host.configuration.packages)
        let item = try await session.client.install(
            source, allowsDowngrade: allowDowngrade
        ).value
        let report = InstallReport(app: item, isDryRun: false)
        if !options.json, !report.isUnchanged {
            let isFirst = item.update == nil
            (isFirst ? Array(report.lines.prefix(1)) : report.lines).forEach(options.console.say)
        }
        return item
    }
}

extension RunCommand {
    /// The files that changed during a run.
    private final class Changes: Sendable {
        private let paths = Mutex<[String]>([])

        var files: [String] {
            get { paths.withLock { $0 } }
            set { paths.withLock { $0 = newValue } }
        }
    }

    /// Runs the app of a folder, and restarts it when a file changes, until it is interrupted.
    private func performAndWatch(_ session: HostSession) async throws -> (
        RunDescription, isAnswered: Bool
    ) {
        let folder = try FolderWatch(
            URL(filePath: app).standardizedFileURL.path(percentEncoded: false))
        let signals = await session.interruptions.listen()
        let listening = Task { for await _ in signals { folder.end() } }
        defer { listening.cancel() }
        let console = options.console
        while true {
            let changes = Changes()
            do {
                let ended = try await perform(session) { changes.files = await folder.changes() }
                if changes.files.isEmpty {
                    // A run that was stopped without a change was stopped by Ctrl-C.
                    guard ended.0.ending?.name != "stopped" else { return ended }
                    let how = ended.0.failureMessage ?? "\(ended.0.app) has ended."
                    console.say(
                        "\(how) Waiting for a change in \(app.escapedForDisplay(limit: 200)).")
                }
            } catch {
                let failure = CommandFailure(error)
                guard Self.isFixable(failure) else { throw failure }
                console.report(failure)
                console.say("Waiting for a change in \(app.escapedForDisplay(limit: 200)).")
            }
            if changes.files.isEmpty {
                changes.files = await folder.changes()
                guard !changes.files.isEmpty else {
                    throw CommandFailure(.interrupted, "Interrupted.")
                }
            }
            let names = changes.files.prefix(3).map { $0.escapedForDisplay(limit: 100) }
            let more = changes.files.count > 3 ? " and \(changes.files.count - 3) more" : ""
            console.say("Changed: \(names.joined(separator: ", "))\(more). Restarting.")
        }
    }

    /// Whether a change of the folder may fix the failure.
    private static func isFixable(_ failure: CommandFailure) -> Bool {
        [.badData, .noInput, .usage, .noPermission].contains(failure.code)
    }
}
