import API
import ArgumentParser
import Foundation
import Host
import Text

/// Manages uploads that wait in the outbox.
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "List, retry or discard uploads that were not delivered.",
        discussion: """
            Examples:
              nervous outbox                             list the uploads, oldest first
              nervous outbox send 3f2a90c1d4e5b678       retry now
              nervous outbox discard 3f2a90c1d4e5b678    discard the upload

            While a host runs, such as nervous serve, uploads are retried automatically:
            after a minute, then at increasing intervals of at most an hour. Uploads that
            a server rejected are retried only with `nervous outbox send`.
            """,
        subcommands: [List.self, Send.self, Discard.self], defaultSubcommand: List.self)

    /// Selects an upload.
    struct Choice: ParsableArguments {
        @OptionGroup var options: GlobalOptions

        @Argument(
            help: "The identifier of the upload; see: nervous outbox.", completion: .names(.upload))
        var id: String
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the uploads, oldest first.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.outbox()
                guard !options.json else { return options.console.print(json: reply.json) }
                let items = try reply.value.items
                guard !items.isEmpty else {
                    return options.console.say("The outbox is empty.")
                }
                var table = Table("ID", "STATE", "ATTEMPTS", "TITLE", "SERVER", "REASON")
                for item in items {
                    table.add([
                        item.id, item.state, String(item.attempts),
                        item.title.escapedForDisplay(limit: 60),
                        item.address.escapedForDisplay(limit: 120),
                        item.problem.escapedForDisplay(limit: 200),
                    ])
                }
                options.console.print(table)
            }
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send", abstract: "Retry an upload now.")

        @OptionGroup var choice: Choice

        func run() async throws {
            try await HostSession.with(choice.options.host) { session in
                let reply = try await session.client.sendUpload(choice.id)
                try SendReport.show(reply, choice.options)
            }
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "discard", abstract: "Discard the upload.")

        @OptionGroup var choice: Choice

        func run() async throws {
            let options = choice.options
            try await HostSession.with(options.host) { session in
                try await session.client.discardUpload(choice.id)
                if options.json {
                    try options.console.print(encoding: ["discarded": true])
                } else {
                    options.console.print("Discarded \(choice.id).")
                }
            }
        }
    }
}

/// Prints the outcome of an upload.
enum SendReport {
    /// - Throws: `CommandFailure` if it was not delivered and is in the outbox.
    static func show(_ sent: APIReply<SendReply>, _ options: GlobalOptions) throws {
        let reply = try sent.value
        if options.json { options.console.print(json: sent.json) }
        if let damaged = reply.damaged {
            options.console.say(
                "warning: samples of \(damaged) are damaged, and are missing from the upload.")
        }
        guard let kept = reply.kept else {
            if !options.json { options.console.print("Delivered.") }
            return
        }
        let isWaiting = kept.state == "waiting"
        let then =
            isWaiting
            ? "retried while a host runs, such as nervous serve" : "not retried automatically"
        throw CommandFailure(
            isWaiting ? .tryAgain : .remote,
            "\(kept.problem) The upload is in the outbox, and \(then).",
            hint: "nervous outbox send \(kept.id), or nervous outbox discard \(kept.id)",
            type: "kept")
    }
}
