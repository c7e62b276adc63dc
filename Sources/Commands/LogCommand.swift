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

            Every entry contains the hash of the previous one. --verify prints the newest
            hash, the head. Keep a copy of it in another place: with it, changes to earlier
            entries are detected even if someone can write to the file.
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

    @Flag(help: "Delete the oldest entries.")
    var prune = false

    @Option(help: ArgumentHelp("With --prune: the maximum age of an entry.", valueName: "duration"))
    var before: String?

    func validate() throws {
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
        let progress = ProgressLine("Verifying", options.console)
        let report = try await AccessLogVerification(
            path: options.host.paths.permissions, expecting: expect
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
        guard containsExpected == false else { return nil }
        return CommandFailure(
            .failed,
            "The expected hash is not in the chain: entries were rewritten or removed.",
            type: "log-changed")
    }
}
