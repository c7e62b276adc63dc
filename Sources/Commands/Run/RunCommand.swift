import AppLab
import ArgumentParser
import Auth
import Foundation
import Host
import JSApps
import API
import Samples
import Synchronization
import Text

/// Runs an app headlessly, with this terminal as its console.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run an app here: install it if needed, ask you, and show what it prints.",
        discussion: """
            Examples:
              nervous run hello-sensors
              nervous run ./hello-sensors.zip
              nervous run jsapps/load-watch --for 30s
              nervous run hello-sensors --view      (what its page shows)
              nervous run ./my-app --watch         (start it anew when you change a file)
              nervous run load-watch --background
              nervous run ./my-app --replay walk.trace --speed 10x   (see: nervous record)
              nervous run hello-sensors --allow sensor:cpu --deny sensor:memory   (in a script)

            What you allow “always” is kept; see `nervous permissions`. Without a terminal and
            without an answer from before, nothing is allowed and the command ends with 77.
            An app that was published before apps declared anything asks for each sensor when it
            first uses it, and runs on with a refusal.
            The exit code is the app's: 0, or 1 after an error that it did not catch.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "An installed app, a package, or the path of an app's folder, such as ./my-app.",
        completion: .file())
    var app: String

    @Option(
        help: """
            Allow this for this run, such as sensor:cpu or sensor:cpu:stats, or for some sensors of a \
            kind sensor:network=network.eth0; may be repeated.
            """)
    var allow: [String] = []

    @Option(help: "Refuse this for this run; stronger than --allow; may be repeated.")
    var deny: [String] = []

    @Flag(help: "Allow for this run everything that the app declares.")
    var allowAll = false

    @Flag(help: "Let an older version take the place of a newer one; every decision is forgotten.")
    var allowDowngrade = false

    @Flag(help: "Ask nothing; what is not allowed is refused.")
    var noPrompt = false

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("End the run after this time, such as 10s.", valueName: "span"))
    var duration: String?

    @Flag(help: "Print the visible text of the app's page whenever it has changed.")
    var view = false

    @Flag(help: "Print the document of the app's page as HTML at the end.")
    var html = false

    @Flag(
        help: "Leave it running with the host that serves; it is started again when it fails.")
    var background = false

    @Option(
        help: ArgumentHelp(
            "Sense this trace and not this machine; see: nervous record.", valueName: "file"),
        completion: .file())
    var replay: String?

    @Option(
        help: ArgumentHelp(
            "How fast the trace goes by: max, or such as 1x or 2.5x.", valueName: "speed"))
    var speed = "1x"

    @Flag(help: "Start the app of a folder anew whenever a file in it changes.")
    var watch = false

    @Flag(
        name: .customLong("insecure-no-sandbox"),
        help:
            "Run without confinement, where the kernel cannot confine. The app can then do anything."
    )
    var isInsecure = false

    func validate() throws {
        for text in allow where FlagDecisions.flag(text, .allowOnce) == nil {
            throw ValidationError(
                "\(text) is not a privilege: write it like sensor:cpu, or for one of several"
                    + " sensors like sensor:network=network.eth0.")
        }
        for text in deny where PrivilegeID(text) == nil {
            throw ValidationError("\(text) is not a privilege: write it like sensor:cpu.")
        }
        if let duration, Duration(span: duration) == nil {
            throw ValidationError("--for takes a span such as 10s or 5m.")
        }
        if duration != nil, background {
            throw ValidationError("--for ends a run that is watched; end others with nervous stop.")
        }
        if watch {
            // What is installed changes by an update alone.
            var isFolder: ObjCBool = false
            guard PackageFile.isPath(app),
                FileManager.default.fileExists(atPath: app, isDirectory: &isFolder),
                isFolder.boolValue
            else {
                throw ValidationError(
                    "--watch is for a folder that you work on, such as ./my-app, and not for an app"
                        + " that is installed.")
            }
            guard !background, replay == nil, duration == nil else {
                throw ValidationError("--watch goes on until you end it, here and now.")
            }
        }
        if replay != nil, background {
            throw ValidationError("A trace is sensed in a run that is watched.")
        }
        guard VirtualSetup.Speed(speed) != nil else {
            throw ValidationError("--speed takes max, or a number and x such as 1x or 2.5x.")
        }
        if view || html, background {
            throw ValidationError("--view and --html show a run that is watched.")
        }
    }

    func run() async throws {
        let options = options
        if let trace = try replay.map({ try Trace(file: $0) }),
            let speed = VirtualSetup.Speed(speed)
        {
            let (ended, isAnswered) = try await ReplayHost.with(
                trace, speed: speed, usesInstalled: !PackageFile.isPath(app), options.host
            ) { session in try await perform(session, trace) }
            return try report(ended, isAnswered: isAnswered)
        }
        let (ended, isAnswered) = try await HostSession.with(options.host, collects: true) {
            session in
            if watch { return try await performAgain(session) }
            return try await perform(session)
        }
        try report(ended, isAnswered: isAnswered)
    }

    /// One run of the app, from asking to its end.
    ///
    /// - Parameter end: stops the run when it returns.
    func perform(
        _ session: HostSession, _ trace: Trace? = nil,
        until end: (@Sendable () async -> Void)? = nil
    ) async throws -> (RunDescription, isAnswered: Bool) {
        if background {
            // One that only answers another command ends with it.
            let status = try await session.client.get(HostStatus.self, "/api/v1/status")
            guard !session.isOwn, status.port != nil else { throw Self.noHost }
        }
        let item = try await installed(session)
        let ticket = try await Ticket.prepare(item.name, inBackground: background, session)
        do {
            let flags = try FlagDecisions(
                allow: allow, deny: deny, allowAll: allowAll, declared: item.privileges,
                asksAtFirstUse: item.generation != nil)
            let consent = Consent(
                app: item, ticket: ticket, session: session, console: options.console,
                flags: flags, mayAsk: !noPrompt)
            try await consent.settle()
            guard !background else {
                return (try await ticket.start(insecure: isInsecure, session), true)
            }
            return try await WatchedRun(
                ticket: ticket, session: session, console: options.console, consent: consent,
                duration: trace == nil ? duration.flatMap { Duration(span: $0) } : nil,
                isInsecure: isInsecure, showsText: view, showsMarkup: html,
                lifetime: lifetime(of: trace), end: end
            ).run()
        } catch {
            await ticket.stop(session)
            throw error
        }
    }

    /// What an app gets of a trace: all of it, its last sample included, or what was asked for.
    private func lifetime(of trace: Trace?) -> Duration? {
        guard let trace else { return nil }
        let whole = trace.length + .milliseconds(1)
        return min(whole, duration.flatMap { Duration(span: $0) } ?? whole)
    }

    /// - Parameter isAnswered: whether nothing that the app asked for was left without an answer.
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
        if let complaint = run.complaint {
            options.console.report(CommandFailure(.failed, complaint, type: ending.name))
        }
        let isTimely = duration != nil && ending.name == "stopped"
        let code = isTimely ? 0 : ending.exitCode
        throw ExitCode(
            code == 0 && !isAnswered ? CommandFailure.Code.noPermission.rawValue : code)
    }

    private static var noHost: CommandFailure {
        CommandFailure(
            .unavailable, "No host runs that the app could stay with.",
            hint: "Start one with: nervous serve", type: "not-serving")
    }

    // MARK: - Before the run

    private func installed(_ session: HostSession) async throws -> AppDescription {
        guard PackageFile.isPath(app) else {
            do {
                let data = try await session.client.data(
                    .get, "/api/v1/apps/\(ControlClient.segment(app))")
                return try JSONDecoder().decode(AppDescription.self, from: data)
            } catch let failure as CommandFailure where failure.code == .noInput {
                guard FileManager.default.fileExists(atPath: app) else { throw failure }
                throw CommandFailure(
                    .noInput, failure.message, hint: "For the folder here: nervous run ./\(app)",
                    type: failure.type)
            }
        }
        let archive = try PackageFile(
            path: app, limits: options.host.configuration.packages
        ).archive()
        let data = try await session.client.data(
            .post, "/api/v1/apps", query: [("allowDowngrade", allowDowngrade ? "true" : nil)],
            body: archive, type: "application/zip")
        let item = try JSONDecoder().decode(AppDescription.self, from: data)
        let report = InstallReport(app: item, isDryRun: false)
        if !options.json, !report.isUnchanged {
            let isFirst = item.update == nil
            (isFirst ? Array(report.lines.prefix(1)) : report.lines).forEach(options.console.say)
        }
        return item
    }
}

extension RunCommand {
    /// What was changed while the app ran.
    private final class Changes: Sendable {
        private let held = Mutex<[String]>([])

        var files: [String] {
            get { held.withLock { $0 } }
            set { held.withLock { $0 = newValue } }
        }
    }

    /// Runs the app of a folder, and anew whenever a file of the folder changes, until the person ends
    /// it.
    func performAgain(_ session: HostSession) async throws -> (RunDescription, isAnswered: Bool) {
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
                    // A run that was stopped and not by a change was stopped by the person.
                    guard ended.0.ending?.name != "stopped" else { return ended }
                    let how = ended.0.complaint ?? "\(ended.0.app) has ended."
                    console.say(
                        "\(how) Waiting for a change in \(app.escapedForDisplay(limit: 200)).")
                }
            } catch {
                let failure = CommandFailure(error)
                guard Self.canBeMended(failure) else { throw failure }
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
            console.say("Changed: \(names.joined(separator: ", "))\(more). Starting again.")
        }
    }

    /// Whether the folder is to blame, and so a change of it may help.
    private static func canBeMended(_ failure: CommandFailure) -> Bool {
        [.badData, .noInput, .usage, .noPermission].contains(failure.code)
    }
}
