import API
import Addresses
import ArgumentParser
import Foundation
import Provider

extension SessionsCommand {
    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send the route of a session to a server of your choice.",
            discussion: """
                Examples:
                  nervous sessions send 3f2a90c1d4e5b678 --to https://trips.example.org
                  nervous sessions send 3f2a90c1d4e5b678 --to https://trips.example.org \\
                      --format gpx --token-file ~/.config/trips-token

                The route is sent as the body of a POST. What does not arrive is kept
                on this machine and sent later, see nervous outbox; with --discard it
                is not.
                """)

        /// The forms of a route that is sent.
        enum Form: String, CaseIterable, ExpressibleByArgument {
            case geojson, gpx, svg
        }

        @OptionGroup var choice: Choice

        @Option(help: ArgumentHelp("The server, with https.", valueName: "url"))
        var to: String

        @Option(help: "geojson, gpx or svg.")
        var format = Form.geojson

        @OptionGroup var route: RouteChoice

        @Option(
            help: "A file with the token that the server asks for.", completion: .file())
        var tokenFile: String?

        @Flag(help: "Keep nothing where it does not arrive.")
        var discard = false

        func validate() throws {
            guard WebAddress(to) != nil else {
                throw ValidationError(
                    "--to is an address such as https://trips.example.org/reports.")
            }
        }

        func run() async throws {
            let options = choice.options
            try await HostSession.with(options) { session in
                let file = tokenFile.map { URL(filePath: $0).path(percentEncoded: false) }
                let wish = SendRequest(to: to, tokenFile: file, keep: !discard)
                let data = try await session.client.data(
                    .post, SessionsCommand.path(choice.id, "/send"),
                    query: [("format", format.rawValue), ("sensor", route.sensor)],
                    body: try JSONEncoder().encode(wish), isPatient: true)
                try SendReport.show(data, options)
            }
        }
    }
}
