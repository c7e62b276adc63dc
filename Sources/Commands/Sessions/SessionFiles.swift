import Addresses
import ArgumentParser
import Foundation
import Host
import API

extension SessionsCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the route of a session, or workouts, for other programs.",
            discussion: """
                Examples:
                  nervous sessions export 3f2a90c1d4e5b678 --format gpx -o walk.gpx
                  nervous sessions export 3f2a90c1d4e5b678 --format svg -o walk.svg
                  nervous sessions export 3f2a90c1d4e5b678 | jq .distance
                  nervous sessions export --format plist -o workouts.plist

                geojson and gpx are the route, svg is a picture of it. plist is an XML property list of
                workouts, words and routes together: of the session, or of all that have ended.
                """)

        /// The forms of a file, as the API calls them.
        enum Form: String, CaseIterable, ExpressibleByArgument {
            case geojson, gpx, svg, plist
        }

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The session; see: nervous sessions. Without one: all, as plist.")
        var id: String?

        @Option(help: "geojson, gpx, svg or plist.")
        var format = Form.geojson

        @OptionGroup var route: RouteChoice

        @Option(
            name: [.short, .long], help: "The file to write, which must not be there yet.",
            completion: .file())
        var output: String?

        func validate() throws {
            guard id != nil || format == .plist else {
                throw ValidationError("A session is needed; only --format plist holds several.")
            }
            guard route.sensor == nil || format != .plist else {
                throw ValidationError("--sensor is for the route of one session.")
            }
        }

        func run() async throws {
            if output == nil {
                try RawOutput.check(
                    "Routes are", hint: "Name a file with -o, or send it to a program.")
            }
            try await HostSession.with(options.host) { session in
                let data = try await content(session)
                guard let output else {
                    _ = try RawOutput.write(data)
                    return
                }
                do {
                    try data.write(to: URL(filePath: output), options: .withoutOverwriting)
                } catch {
                    throw CommandFailure(
                        .cannotCreate, "\(output) cannot be written, or is there already.")
                }
                if options.json {
                    options.console.print("{\"bytes\":\(data.count)}")
                } else {
                    options.console.say("Wrote \(output).")
                }
            }
        }

        private func content(_ session: HostSession) async throws -> Data {
            if let id, format != .plist {
                return try await session.client.data(
                    .get, SessionsCommand.path(id, "/route"),
                    query: [("format", format.rawValue), ("sensor", route.sensor)], isPatient: true)
            }
            return try await session.client.data(
                .get, SessionsCommand.workouts, query: [("session", id)], isPatient: true)
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make sessions of the workouts or tracks of a file.",
            discussion: """
                Examples:
                  nervous sessions import workouts.plist
                  nervous sessions import walk.gpx

                All of the file is taken or, where something in it is wrong, nothing. What is there
                already stays as it is, so the same file twice makes nothing twice.
                """)

        /// The forms of a file.
        enum Form: String, CaseIterable, ExpressibleByArgument {
            case plist, gpx, geojson

            /// What the ending of a name says; `nil` when it says nothing.
            init?(path: String) {
                switch URL(filePath: path).pathExtension.lowercased() {
                case "plist": self = .plist
                case "gpx": self = .gpx
                case "geojson", "json": self = .geojson
                default: return nil
                }
            }

            var mediaType: String {
                switch self {
                case .plist: "application/x-plist"
                case .gpx: "application/gpx+xml"
                case .geojson: "application/geo+json"
                }
            }
        }

        @OptionGroup var options: GlobalOptions

        @Argument(
            help: "An XML property list of workouts, or tracks as GPX or GeoJSON.",
            completion: .file())
        var file: String

        @Option(help: "plist, gpx or geojson; else what the name of the file says.")
        var format: Form?

        func run() async throws {
            guard let form = format ?? Form(path: file) else {
                throw CommandFailure(
                    .usage, "The name of \(file) does not say its form.",
                    hint: "Say it with --format plist, gpx or geojson.")
            }
            let body: Data
            do {
                body = try Data(contentsOf: URL(filePath: file))
            } catch {
                throw CommandFailure(.noInput, "\(file) cannot be read.")
            }
            try await HostSession.with(options.host) { session in
                let data: Data
                do {
                    data = try await session.client.data(
                        .post, SessionsCommand.workouts, body: body, type: form.mediaType,
                        isPatient: true)
                } catch let failure as CommandFailure where failure.type == "invalid-workouts" {
                    throw CommandFailure(
                        .badData, "\(file) is not taken: \(failure.message)", type: failure.type)
                }
                guard !options.json else { return options.console.print(json: data) }
                let made = try JSONDecoder().decode(ImportDescription.self, from: data)
                var table = Table("SESSION", "STATE", "BEGUN", "ACTIVE", "NAME")
                for item in made.items { table.add(item.row) }
                if !made.items.isEmpty { table.lines.forEach(options.console.print) }
                if !made.known.isEmpty {
                    options.console.say("There already: \(made.known.joined(separator: ", "))")
                }
            }
        }
    }

    static let workouts = "/api/v1/workouts"
}

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
            try await HostSession.with(options.host) { session in
                let file = tokenFile.map { URL(filePath: $0).path(percentEncoded: false) }
                let wish = SendWish(to: to, tokenFile: file, keep: !discard)
                let data = try await session.client.data(
                    .post, SessionsCommand.path(choice.id, "/send"),
                    query: [("format", format.rawValue), ("sensor", route.sensor)],
                    body: try JSONEncoder().encode(wish), isPatient: true)
                try SendReport.show(data, options)
            }
        }
    }
}
