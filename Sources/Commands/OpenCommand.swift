import API
import ArgumentParser
import Foundation
import Host

/// Prints a link that opens an app's page.
struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Print the link that opens an app's page in a browser.",
        discussion: """
            The link works once, within a minute; the page gets a token of its own.
            Requires a serving host: nervous serve
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's name; see: nervous apps.", completion: .names(.app))
    var app: String

    func run() async throws {
        try await HostSession.with(options.host) { session in
            let reply = try await session.client.launch(app)
            guard !options.json else { return options.console.print(json: reply.json) }
            options.console.print(try reply.value.url)
        }
    }
}
