import ArgumentParser
import Auth
import Foundation
import Host
import Provider
import Samples

/// Shows the access log, verifies its chain, cuts it.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show who read what, who was refused and what was decided, the newest last.",
        discussion: """
            Examples:
              nervous log
              nervous log hello-sensors --refused
              nervous log --kind granted
              nervous log --owner                     what you read yourself, too
              nervous log --json | jq '.items[] | select(.outcome == "refused")'
              nervous log --verify                    whether every line is as it was written
              nervous log --verify --expect HASH      and follows what you noted earlier
              nervous log --prune --before 90d        cut off what is older

            Every line is chained to the one before. Note the head that --verify prints elsewhere: with
            it even whoever can write the file cannot change what stood there before unseen.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "An app or a token's name; all when it is missing.")
    var client: String?

    @Flag(help: "Only what was refused.")
    var refused = false

    @Option(help: "Only one kind, such as access, refusal, granted, denied, violation.")
    var kind: String?

    @Flag(help: "Also what you read yourself with these commands.")
    var owner = false

    @Option(help: "The most lines to show.")
    var limit = 40

    @Flag(help: "Check that no line was changed, added or removed.")
    var verify = false

    @Option(help: ArgumentHelp("With --verify: a head noted earlier.", valueName: "hash"))
    var expect: String?

    @Flag(help: "Cut off the oldest lines.")
    var prune = false

    @Option(help: ArgumentHelp("With --prune: how old lines may be.", valueName: "span"))
    var before: String?

    func validate() throws {
        guard (expect == nil || verify) && (before != nil) == prune && !(verify && prune) else {
            throw ValidationError("--expect goes with --verify, and --before with --prune.")
        }
        guard !verify || (client == nil && kind == nil && !refused) else {
            throw ValidationError(
                "--verify walks the whole log; it takes no app, kind or --refused.")
        }
        if let expect, expect.wholeMatch(of: /[0-9a-fA-F]{64}/) == nil {
            throw ValidationError("--expect takes the 64 digits that --verify prints as head.")
        }
        if let before, Duration(span: before) == nil {
            throw ValidationError("--before takes a span such as 90d.")
        }
    }

    func run() async throws {
        if verify { return try await showVerification() }
        try await HostSession.with(options.host) { session in
            if let before { return try await cut(before, session) }
            try await show(session)
        }
    }

    private func show(_ session: HostSession) async throws {
        let data = try await session.client.data(
            .get, "/api/v1/access-log",
            query: [
                ("client", client), ("limit", String(limit)), ("kind", kind),
                ("outcome", refused ? "refused" : nil),
                ("owner", owner || client != nil ? nil : "false"),
            ])
        guard !options.json else { return options.console.print(json: data) }
        let items = try JSONDecoder().decode(ItemList<AccessLogItem>.self, from: data).items
        guard !items.isEmpty else {
            options.console.say("Nothing was read or refused yet.")
            return
        }
        var table = Table("TIME", "WHO", "WHAT", "SENSOR", "SAMPLES", "OUTCOME")
        for item in items.reversed() {
            let calls = item.calls > 1 ? " (\(item.calls) calls)" : ""
            table.add(
                Format.time(item.time), item.client ?? (item.outcome == nil ? "–" : "?"),
                item.operation ?? item.kind, item.sensor ?? item.privilege ?? "–",
                item.amount,
                (item.reason.map { "refused: \($0)" } ?? item.success ?? item.story ?? "") + calls)
        }
        table.lines.forEach(options.console.print)
    }

    /// Reads the file itself: the answer must not depend on the host that wrote it.
    private func showVerification() async throws {
        let progress = ProgressLine("Verifying", options.console)
        let report = try await LedgerVerification(
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

    private func cut(_ span: String, _ session: HostSession) async throws {
        let data = try await session.client.data(
            .delete, "/api/v1/access-log", query: [("before", "-\(span)")])
        guard !options.json else { return options.console.print(json: data) }
        let head = try JSONDecoder().decode(AccessLogHead.self, from: data)
        options.console.print("Cut off \(head.cut ?? 0) lines.")
        options.console.print("Head: \(head.hash)")
    }
}

extension AccessLogItem {
    /// Samples, or the bytes of calls to another server.
    fileprivate var amount: String {
        guard outcome != nil else { return "–" }
        let isCall = privilege?.hasPrefix("net:") == true
        return isCall ? Format.bytes(Double(count)) : String(count)
    }

    /// That it was allowed, and how it ended where the line says so.
    fileprivate var success: String? {
        outcome.map { word in detail.map { "\(word): \($0)" } ?? word }
    }

    /// More about an event, in words.
    fileprivate var story: String? {
        kind == "pruned" ? "the lines up to \(count) were cut off" : detail
    }
}

extension LedgerReport {
    private struct Facts: Encodable {
        let intact: Bool
        let lines: Int
        let cut: Int64
        let first: Double?
        let last: Double?
        let head: String
        let expected: Bool?
        let line: Int64?
        let fault: String?
    }

    /// The facts as one line of JSON.
    var json: Data {
        let facts = Facts(
            intact: isIntact, lines: lines, cut: cut, first: first?.milliseconds,
            last: last?.milliseconds, head: head, expected: hasExpected, line: fault?.line,
            fault: fault?.message)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(facts)) ?? Data()
    }

    /// The facts for a person.
    var text: [String] {
        var shown: [String] = []
        if let first, let last {
            let times = "\(Format.time(first.milliseconds)) to \(Format.time(last.milliseconds))"
            shown.append("\(lines) lines fit, \(times)")
        } else {
            shown.append("No line was written yet.")
        }
        if cut > 0 { shown.append("\(cut) older lines were cut off, as the log says") }
        shown.append("Head: \(head)")
        return shown
    }

    /// What is wrong; `nil` when nothing is.
    var failure: CommandFailure? {
        if let fault {
            return CommandFailure(
                .failed, "The access log was changed. \(fault.message)",
                hint: "The \(lines) lines before it are as they were written.", type: "log-changed")
        }
        guard hasExpected == false else { return nil }
        return CommandFailure(
            .failed,
            "The hash that was noted is not in the chain: lines were rewritten or removed.",
            type: "log-changed")
    }
}
