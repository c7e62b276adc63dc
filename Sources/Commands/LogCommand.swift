import API
import ArgumentParser
import Auth
import Foundation
import Host
import Samples

/// Shows, verifies and prunes the access log.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the access log: reads, refusals and decisions, newest last.",
        discussion: """
            Examples:
              nervous log
              nervous log hello-sensors --refused
              nervous log --kind granted
              nervous log --kind download             packages that the host downloaded
              nervous log --client-kind app           only entries of apps
              nervous log --owner                     also your own reads
              nervous log --json | jq '.items[] | select(.outcome == "refused")'
              nervous log --follow --refused          also new refusals, until Ctrl-C
              nervous log --recent                    what each client has read lately
              nervous log --verify                    check that no entry was changed
              nervous log --verify --expect HASH      also check for a head that you saved
              nervous log --prune --before 90d        delete older entries
              nervous log --seal                      seal later entries; prints a key
              nervous log --verify --key key.txt      also check the seals, with that key
              nervous log --checkpoint > now.txt      a signed statement to keep elsewhere
              nervous log --verify --against now.txt  also check for that checkpoint

            Every entry contains the hash of the previous one. --verify prints the newest
            hash, the head. Keep a copy of it in another place: with it, changes to earlier
            entries are detected even if someone can write to the file.

            --seal adds a seal to each new entry, with a key that is replaced after each
            entry. If somebody who takes the machine later changes or removes earlier
            entries, --verify --key finds the first wrong one. Keep the key in another
            place; nothing on this machine can show it again.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The name of an app or token; all by default.", completion: .names(.client))
    var client: String?

    @Flag(help: "Only refusals.")
    var refused = false

    @Option(
        help: "Only entries of this kind, such as access, refusal, granted, denied, violation.",
        completion: .list(AccessLogEntry.Kind.allCases.map(\.rawValue)))
    var kind: String?

    @Option(
        help: ArgumentHelp(
            "Only entries of callers of this type.",
            discussion: """
                TYPE is command or dashboard (your own calls), owner (a program with an owner's \
                token), client (a program with another token), or app.
                """, valueName: "type"),
        completion: .list(AccessLogEntry.ClientKind.allCases.map(\.rawValue)),
        transform: AccessLogEntry.ClientKind.init(argument:))
    var clientKind: AccessLogEntry.ClientKind?

    @Flag(help: "Also show the calls that you made with commands and the dashboard.")
    var owner = false

    @Option(help: "The maximum number of entries.")
    var limit = 40

    @Flag(
        help: ArgumentHelp(
            "Then print new entries as they are written, until Ctrl-C; with --json one per line."))
    var follow = false

    @Flag(
        help: ArgumentHelp(
            "A summary: what each client has read, and what it was refused, in the last 15 minutes.",
            discussion: """
                Your own calls, made with commands and the dashboard, are not included. With --follow \
                the summary is printed again each minute if it has changed.
                """))
    var recent = false

    @Flag(help: "Check that no entry was changed, added or removed.")
    var verify = false

    @Option(help: ArgumentHelp("With --verify: a head that you saved.", valueName: "hash"))
    var expect: String?

    @Option(
        help: ArgumentHelp(
            "With --verify: the file with the key that --seal printed; - reads it from the input.",
            valueName: "file"),
        completion: .file())
    var key: String?

    @Option(
        help: ArgumentHelp(
            "With --verify: a file with a checkpoint that you saved.", valueName: "file"),
        completion: .file())
    var against: String?

    @Flag(help: "Seal the log from now on, and print the key that verifies it, once.")
    var seal = false

    @Flag(help: "With --seal: replace the key of a log that is sealed.")
    var replace = false

    @Flag(help: "Print a signed statement about the newest entry, to be kept elsewhere.")
    var checkpoint = false

    @Flag(help: "Delete the oldest entries.")
    var prune = false

    @Option(help: ArgumentHelp("With --prune: the maximum age of an entry.", valueName: "duration"))
    var before: String?

    func validate() throws {
        let changes = [seal, checkpoint].count { $0 }
        guard changes == 0 || changes == 1 && !(verify || prune || recent || follow) else {
            throw ValidationError(
                "--seal and --checkpoint cannot be combined with each other, --verify, --prune, --recent"
                    + " or --follow.")
        }
        guard verify || (key == nil && against == nil) else {
            throw ValidationError("--key and --against require --verify.")
        }
        guard seal || !replace else { throw ValidationError("--replace requires --seal.") }
        guard (expect == nil || verify) && (before != nil) == prune && !(verify && prune) else {
            throw ValidationError(
                "--expect requires --verify, and --prune and --before require each other.")
        }
        guard !follow || (!verify && !prune) else {
            throw ValidationError("--follow cannot be combined with --verify or --prune.")
        }
        guard !verify || (client == nil && kind == nil && clientKind == nil && !refused) else {
            throw ValidationError(
                "--verify checks the whole log: it takes no app, --kind, --client-kind or --refused."
            )
        }
        let isFiltered = [client, kind, clientKind?.rawValue].contains { $0 != nil } || refused
        guard !recent || !(isFiltered || owner || verify || prune) else {
            throw ValidationError(
                "--recent summarises all clients: it takes no app, --kind, --client-kind, --refused,"
                    + " --owner, --verify or --prune.")
        }
        if let expect, expect.wholeMatch(of: /[0-9a-fA-F]{64}/) == nil {
            throw ValidationError("--expect takes the 64 digits of a head that --verify printed.")
        }
        if let before, Duration(span: before) == nil {
            throw ValidationError("--before takes a duration such as 90d.")
        }
    }

    func run() async throws {
        if verify { return try await showVerification() }
        try await HostSession.with(options.host, collects: follow) { session in
            guard !recent else { return try await showRecent(session) }
            guard !follow else {
                return try await session.follow(options.console) {
                    var follower = LogFollower(
                        client: session.client, query: query, limit: limit,
                        console: options.console)
                    try await follower.run()
                }
            }
            if let before { return try await prune(before, session) }
            if seal { return try await sealLog(session) }
            if checkpoint { return try await makeCheckpoint(session) }
            try await show(session)
        }
    }

    private var query: [(name: String, value: String?)] {
        [
            ("client", client), ("kind", kind), ("clientKind", clientKind?.rawValue),
            ("outcome", refused ? "refused" : nil),
            ("owner", owner || client != nil || clientKind != nil ? nil : "false"),
        ]
    }

    private func show(_ session: HostSession) async throws {
        let reply = try await session.client.accessLog(
            query: query + [("limit", String(limit))])
        guard !options.json else { return options.console.print(json: reply.json) }
        let items = try reply.value.items
        guard !items.isEmpty else {
            options.console.say("No entries yet.")
            return
        }
        var table = Table(AccessLogItem.header)
        for item in items.reversed() { table.add(item.cells) }
        options.console.print(table)
    }

    private func showRecent(_ session: HostSession) async throws {
        let client = session.client
        guard follow else {
            return try await client.follow(.access, isOnce: true, show: showSummary)
        }
        try await session.follow(options.console) {
            try await client.follow(.access, isOnce: false, show: showSummary)
        }
    }

    private func showSummary(_ data: Data) throws {
        guard !options.json else { return options.console.print(json: data) }
        let items = try JSONDecoder().decode(ItemList<AccessSummary>.self, from: data).items
        guard !items.isEmpty else {
            return options.console.say("No client has read anything in the last 15 minutes.")
        }
        var table = Table("CLIENT", "SAMPLES", "SENSORS", "REFUSALS", "REFUSED")
        for item in items {
            table.add(
                item.client, String(item.samples), item.sensors.joined(separator: ", "),
                String(item.refusals), item.refused.joined(separator: ", "))
        }
        options.console.print(table)
        if follow { options.console.print("") }
    }

    /// Reads the file directly: the result must not depend on the host that wrote it.
    private func showVerification() async throws {
        let saved = try key.map(readKey)
        let earlier = try against.map(readCheckpoint)
        let progress = ProgressLine("Verifying", options.console)
        let report = try await AccessLogVerification(
            path: options.host.paths.permissions, expecting: expect, key: saved,
            checkpoint: earlier
        ).run { progress.show($0, of: $1) }
        progress.end()
        if options.json {
            options.console.print(json: report.json)
        } else {
            report.text.forEach(options.console.print)
            if let failure = report.failure { options.console.report(failure) }
        }
        if !report.isIntact { throw ExitCode(CommandFailure.Code.failed.rawValue) }
    }

    private func readKey(_ file: String) throws -> AccessLogKey {
        let text = try read(file).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let key = AccessLogKey(text) else {
            throw CommandFailure(
                .usage, "\(Self.name(of: file)) does not contain the key of an access log.",
                hint: "The key begins with nvk_; nervous log --seal printed it.",
                type: "invalid-key")
        }
        return key
    }

    private func readCheckpoint(_ file: String) throws -> LogCheckpoint {
        guard let checkpoint = LogCheckpoint(try read(file)) else {
            throw CommandFailure(
                .usage, "\(Self.name(of: file)) does not contain a checkpoint of an access log.",
                hint: "Save what this command prints: nervous log --checkpoint",
                type: "invalid-checkpoint")
        }
        return checkpoint
    }

    private func read(_ file: String) throws -> String {
        do {
            let data =
                file == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data()
                : try Data(contentsOf: URL(filePath: file))
            return String(decoding: data, as: UTF8.self)
        } catch {
            throw CommandFailure(
                .noInput, "Cannot read \(file).", hint: nil, type: "not-found")
        }
    }

    private static func name(of file: String) -> String { file == "-" ? "The input" : file }

    private func sealLog(_ session: HostSession) async throws {
        let reply = try await session.client.sealAccessLog(replacing: replace)
        guard !options.json else { return options.console.print(json: reply.json) }
        let made = try reply.value
        options.console.print(made.key)
        options.console.say(
            """
            The access log is sealed from entry \(made.first) on. Keep this key in another place, such as a
            password manager: it is not stored here and cannot be shown again. With it you verify the log:
            nervous log --verify --key FILE
            Checkpoints are signed by \(made.signer)
            """)
    }

    private func makeCheckpoint(_ session: HostSession) async throws {
        let reply = try await session.client.makeCheckpoint()
        guard !options.json else { return options.console.print(json: reply.json) }
        // A line of output ends as the note does.
        options.console.print(String(try reply.value.note.dropLast()))
    }

    private func prune(_ span: String, _ session: HostSession) async throws {
        let reply = try await session.client.pruneAccessLog(before: "-\(span)")
        guard !options.json else { return options.console.print(json: reply.json) }
        let head = try reply.value
        options.console.print("Deleted \(head.cut ?? 0) entries.")
        options.console.print("Head: \(head.hash)")
    }
}

extension AccessLogEntry.ClientKind {
    /// - Throws: `ValidationError` for an unknown type.
    fileprivate init(argument: String) throws {
        guard let kind = Self(rawValue: argument) else {
            let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("must be one of: \(known).")
        }
        self = kind
    }
}

extension AccessLogItem {
    static let header = ["TIME", "CLIENT", "OPERATION", "SENSOR", "SAMPLES", "OUTCOME"]

    /// The row in a table.
    var cells: [String] {
        let calls = calls > 1 ? " (\(calls) calls)" : ""
        return [
            Format.time(time), client ?? (outcome == nil ? "–" : "?"), operation ?? kind,
            sensor ?? privilege ?? "–", amount,
            (reason.map { "refused: \($0)" } ?? success ?? eventDetail ?? "") + calls,
        ]
    }

    /// The number of samples, or the bytes of calls to a server and of downloads.
    fileprivate var amount: String {
        guard outcome != nil || kind == "download" else { return "–" }
        let isCall = privilege?.hasPrefix("net:") == true
        return isCall ? Format.bytes(Double(count)) : String(count)
    }

    /// The outcome, with the details of the entry.
    fileprivate var success: String? {
        outcome.map { word in detail.map { "\(word): \($0)" } ?? word }
    }

    /// The details of an event.
    fileprivate var eventDetail: String? {
        kind == "pruned" ? "entries up to \(count) were deleted" : detail
    }
}

extension AccessLogReport {
    /// The report as JSON, as the API returns it.
    var json: Data {
        (try? JSONEncoder.sorted.encode(verdict)) ?? Data()
    }

    /// The report as text.
    var text: [String] {
        var shown: [String] = []
        if let first, let last {
            let times = "\(Format.time(first.milliseconds)) to \(Format.time(last.milliseconds))"
            shown.append("\(entryCount) entries intact, \(times)")
        } else {
            shown.append("No entries yet.")
        }
        if prunedCount > 0 {
            shown.append("\(prunedCount) older entries were deleted, as the log records")
        }
        if let sealedCount { shown.append("\(sealedCount) seals match the key") }
        if checkpoint == .matches { shown.append("The checkpoint's entry is in the chain") }
        shown.append("Head: \(head)")
        return shown
    }

    /// The failure; `nil` if the log is intact.
    var failure: CommandFailure? {
        if let fault {
            return CommandFailure(
                .failed, "The access log was changed. \(fault.message)",
                hint: "The \(entryCount) entries before it are intact.", type: "log-changed")
        }
        if containsExpected == false {
            return CommandFailure(
                .failed,
                "The expected hash is not in the chain: entries were rewritten or removed.",
                type: "log-changed")
        }
        return checkpoint?.failure
    }
}

extension AccessLogReport.CheckpointVerdict {
    /// The failure; `nil` if the checkpoint matches.
    fileprivate var failure: CommandFailure? {
        switch self {
        case .matches: nil
        case .differs:
            CommandFailure(
                .failed, "The checkpoint's entry has another hash: entries were rewritten.",
                type: "log-changed")
        case .missing:
            CommandFailure(
                .failed, "The checkpoint's entry is missing: entries were removed at the end.",
                type: "log-changed")
        case .pruned:
            CommandFailure(
                .failed, "The checkpoint's entry was deleted, as the log records.",
                hint: "If you pruned the log, compare with a later checkpoint.",
                type: "checkpoint-pruned")
        case .badSignature:
            CommandFailure(
                .failed, "The checkpoint was changed, or is not one of this log.",
                hint: "If the log was sealed anew since, verify it with --key and the earlier key.",
                type: "bad-signature")
        case .signerUnknown:
            CommandFailure(
                .failed, "The checkpoint's signature cannot be verified without access-log.seal.",
                hint: "Name the key that nervous log --seal printed with --key.",
                type: "bad-signature")
        }
    }
}
