import ArgumentParser
import Foundation
import Host

/// Makes the link that opens an app's page.
struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Print the link that opens an app's page in a browser.",
        discussion: """
            The link works once and for a minute; the page it opens holds a token of its own.
            A host must be serving: nervous serve
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The app's name; see: nervous apps.")
    var app: String

    private struct Launch: Decodable {
        let url: String
    }

    func run() async throws {
        try await HostSession.with(options.host) { session in
            let path = "/api/v1/apps/\(ControlClient.segment(app))/launch"
            let data = try await session.client.data(.post, path)
            guard !options.json else { return options.console.print(json: data) }
            options.console.print(try JSONDecoder().decode(Launch.self, from: data).url)
        }
    }
}
