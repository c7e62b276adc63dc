import API
import ArgumentParser
import Auth
import Backup
import Foundation
import Host
import RunnerProtocol
import Samples
import Text

/// Writes everything in the data directory to one file.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write all data and the configuration to one file.",
        discussion: """
            The host can continue to run. Everything that it acknowledged before the backup
            began is in the file, a tar archive. It is read back and verified before it
            gets its final name.

            The file contains samples, decisions, the data of apps, and keys, unencrypted:
            keep it where nobody else can read it. Copies of databases from before an
            upgrade are not included.

            Examples:
              nervous backup ~/nervous-2026-11-23.tar
              nervous backup --json /media/me/disk/nervous.tar
              nervous restore --check ~/nervous-2026-11-23.tar
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The file to create.", completion: .file())
    var file: String

    func run() async throws {
        let paths = options.host.paths
        let writer = BackupWriter(
            data: paths.data, configuration: paths.ownConfiguration, program: Release.version)
        let progress = ProgressLine("Backing up", options.console)
        defer { progress.end() }
        try await flushHost(paths)
        let report = try await Interruptions().cancelling {
            try await writer.write(to: absolutePath(file)) { progress.show($0, of: 1000) }
        }
        progress.end()
        for name in report.omitted {
            options.console.say("warning: not in the backup: \(name.escapedForDisplay(limit: 200))")
        }
        options.console.warn(about: report.accessLog)
        if options.json {
            try options.console.print(encoding: BackupFacts(report))
        } else {
            options.console.print(
                "Written and verified: \(report.file), \(report.contentText)")
        }
    }

    /// Makes a running host write the samples that wait for its flush interval.
    private func flushHost(_ paths: HostPaths) async throws {
        guard try HostSession.isListening(paths.controlSocket) else { return }
        // A request for the report on its storage does so, because the report counts what is in the file.
        let isFlushed: Void? = await HostSession.ifRunning(paths, within: .seconds(30)) {
            _ = try await $0.storage()
        }
        guard isFlushed == nil else { return }
        options.console.say(
            "warning: the host does not answer, so samples that it has not written are not in the backup"
        )
    }
}

/// Restores a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a backup to an empty data directory.",
        discussion: """
            Nothing is overwritten: the data directory must be missing or empty, and
            config.json is written only if there is none. If the file is damaged, nothing
            is restored.

            The tokens, and the decisions about apps, are those of the time of the backup:
            what you revoked since then is valid again. Check with nervous permissions.

            Examples:
              nervous restore ~/nervous-2026-11-23.tar
              nervous restore ~/nervous-2026-11-23.tar --data ~/restored
              nervous restore --check ~/nervous-2026-11-23.tar    verify it, restore nothing
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The backup.", completion: .file())
    var file: String

    @Flag(help: "Verify the backup, and restore nothing.")
    var check = false

    func run() async throws {
        let paths = options.host.paths
        let restoration = BackupRestoration(
            file: absolutePath(file), data: paths.data, configuration: paths.configurationFolder,
            formats: .current)
        let progress = ProgressLine(check ? "Verifying" : "Restoring", options.console)
        defer { progress.end() }
        if check {
            let report = try await Interruptions().cancelling {
                try await restoration.check { progress.show($0, of: 1000) }
            }
            progress.end()
            return try show(report, "Intact: \(report.file), \(report.contentText)")
        }
        guard try !HostSession.isListening(paths.controlSocket) else {
            throw CommandFailure(
                .tryAgain, "A host is running on \(paths.data).",
                hint: "Stop it, or restore to another directory with --data DIR.",
                type: "already-running")
        }
        let result = try await Interruptions().cancelling {
            try await restoration.run { progress.show($0, of: 1000) }
        }
        progress.end()
        options.console.warn(about: result.report.accessLog)
        for path in result.kept {
            options.console.say(
                "warning: \(path) exists and was not changed; the one in the backup is different")
        }
        try show(
            result.report,
            "Restored to \(paths.data): \(result.report.contentText)"
                + result.configured.map { "\n\($0) written" }.joined(),
            result)
    }

    private func show(
        _ report: BackupReport, _ text: String, _ result: BackupRestoration.Result? = nil
    ) throws {
        guard options.json else { return options.console.print(text) }
        try options.console.print(encoding: BackupFacts(report, result))
    }
}

/// What both commands print as JSON.
private struct BackupFacts: Encodable {
    private struct Log: Encodable {
        let intact: Bool
        let entries: Int
        let head: String
    }

    private let file: String
    private let bytes: Int64
    private let created: String
    private let program: String
    private let files: Int
    private let contentBytes: Int64
    private let accessLog: Log?
    private let omitted: [String]
    /// The files of the configuration that were written; only after a restoration, as is `kept`.
    private let configured: [String]?
    private let kept: [String]?

    init(_ report: BackupReport, _ result: BackupRestoration.Result? = nil) {
        file = report.file
        bytes = report.bytes
        created = "\(report.created)"
        program = report.program
        files = report.files
        contentBytes = report.content
        accessLog = report.accessLog.map {
            Log(intact: $0.isIntact, entries: $0.entryCount, head: $0.head)
        }
        omitted = report.omitted
        configured = result?.configured
        kept = result?.kept
    }
}

extension BackupReport {
    /// The number of files, their size, and the time of the backup.
    fileprivate var contentText: String {
        "\(files) files, \(Format.bytes(Double(content))), of \(Format.time(created.milliseconds))"
    }
}

extension Console {
    /// Warns if an access log was changed.
    fileprivate func warn(about log: AccessLogReport?) {
        guard let failure = log?.failure else { return }
        say("warning: \(failure.message)")
    }
}

extension Interruptions {
    /// Runs `body`, and cancels it at the first signal.
    ///
    /// - Throws: what `body` throws; `CancellationError` after a signal.
    fileprivate func cancelling<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let signals = await listen()
        return try await withThrowingTaskGroup(of: Value?.self) { tasks in
            tasks.addTask { try await body() }
            tasks.addTask {
                for await _ in signals { break }
                return nil
            }
            defer { tasks.cancelAll() }
            guard let first = try await tasks.next(), let value = first else {
                throw CancellationError()
            }
            return value
        }
    }
}

/// A path relative to the current folder as an absolute one.
private func absolutePath(_ path: String) -> String {
    URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
}
