import ArgumentParser
import Foundation
import Host
import Provider
import Text

/// What could not be sent yet.
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "See, send or discard what could not be sent yet.",
        discussion: """
            Examples:
              nervous outbox                             what waits, oldest first
              nervous outbox send 3f2a90c1d4e5b678       try again now
              nervous outbox discard 3f2a90c1d4e5b678    send it never

            What waits is tried again by itself while a host runs, such as nervous
            serve: after a minute, then after ever longer, an hour at most. What a
            server has refused is tried when you say so.
            """,
        subcommands: [List.self, Send.self, Discard.self], defaultSubcommand: List.self)

    static func path(_ id: String, _ rest: String = "") -> String {
        "/api/v1/outbox/\(ControlClient.segment(id))\(rest)"
    }

    /// What names a thing that waits.
    struct Choice: ParsableArguments {
        @OptionGroup var options: GlobalOptions

        @Argument(help: "What waits; see: nervous outbox.")
        var id: String
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what waits to be sent, the oldest first.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let data = try await session.client.data(.get, "/api/v1/outbox")
                guard !options.json else { return options.console.print(json: data) }
                let list = try JSONDecoder().decode(ItemList<DeliveryDescription>.self, from: data)
                guard !list.items.isEmpty else {
                    return options.console.say("Nothing waits to be sent.")
                }
                var table = Table("ID", "STATE", "TRIES", "WHAT", "WHERE TO", "WHY")
                for item in list.items {
                    table.add([
                        item.id, item.state, String(item.attempts),
                        item.title.escapedForDisplay(limit: 60),
                        item.address.escapedForDisplay(limit: 120),
                        item.problem.escapedForDisplay(limit: 200),
                    ])
                }
                table.lines.forEach(options.console.print)
            }
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Try again now.")

        @OptionGroup var choice: Choice

        func run() async throws {
            try await HostSession.with(choice.options.host) { session in
                let data = try await session.client.data(
                    .post, OutboxCommand.path(choice.id, "/send"), isPatient: true)
                try SendReport.show(data, choice.options)
            }
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Send it never.")

        @OptionGroup var choice: Choice

        func run() async throws {
            let options = choice.options
            try await HostSession.with(options.host) { session in
                _ = try await session.client.data(.delete, OutboxCommand.path(choice.id))
                if options.json {
                    options.console.print("{\"discarded\":true}")
                } else {
                    options.console.print("\(choice.id) is not sent any more.")
                }
            }
        }
    }
}

/// What a person is told of something that was sent.
enum SendReport {
    /// - Throws: `CommandFailure` where it did not arrive, which is to be tried again later.
    static func show(_ data: Data, _ options: GlobalOptions) throws {
        let reply = try JSONDecoder().decode(SendReply.self, from: data)
        if options.json { options.console.print(json: data) }
        if let damaged = reply.damaged {
            options.console.say(
                "warning: samples of \(damaged) are damaged, and are missing in what was sent.")
        }
        guard let kept = reply.kept else {
            if !options.json { options.console.print("It has arrived.") }
            return
        }
        let isWaiting = kept.state == "waiting"
        let then =
            isWaiting
            ? "sent while a host runs, such as nervous serve" : "not tried again by itself"
        throw CommandFailure(
            isWaiting ? .tryAgain : .remote, "\(kept.problem) It is kept, and \(then).",
            hint: "nervous outbox send \(kept.id), or nervous outbox discard \(kept.id)",
            type: "kept")
    }
}
