import API
import Addresses
import ArgumentParser
import Foundation
import Host
import Text

extension SessionsCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract:
                "Export the route or samples of a session, or whole sessions as a property list.",
            discussion: """
                Examples:
                  nervous sessions export 3f2a90c1d4e5b678 --format gpx -o walk.gpx
                  nervous sessions export 3f2a90c1d4e5b678 --format svg -o walk.svg
                  nervous sessions export 3f2a90c1d4e5b678 | jq .distance
                  nervous sessions export 3f2a90c1d4e5b678 --sensor steps -o steps.csv
                  nervous sessions export --format plist -o workouts.plist

                geojson and gpx contain the route; csv, ndjson and json the samples of a
                sensor. svg is a picture of the route, or of the samples if there is no route
                or another sensor is named. plist is an XML property list of whole sessions
                with their routes: of the named session, or of all finished ones.
                """)

        /// The formats of the API.
        enum Form: String, CaseIterable, ExpressibleByArgument {
            case geojson, gpx, svg, csv, ndjson, json, plist
        }

        @OptionGroup var options: GlobalOptions

        @Argument(
            help: """
                The identifier of the session; see: nervous sessions. Without it, --format plist \
                exports all finished sessions.
                """,
            completion: .names(.session))
        var id: String?

        @Option(
            help:
                "By default chosen by the name of the file; else geojson, or csv if there is no route."
        )
        var format: Form?

        @OptionGroup var route: RouteChoice

        @Option(
            name: [.short, .long],
            help: "The file, which must not exist yet; - for standard output, the default.",
            completion: .file())
        var output: String?

        func validate() throws {
            if form == nil, let file, !URL(filePath: file).pathExtension.isEmpty {
                let known = Form.allCases.map { ".\($0.rawValue)" }.joined(separator: ", ")
                throw ValidationError(
                    "No format has the extension .\(URL(filePath: file).pathExtension). Use"
                        + " \(known), or --format.")
            }
            guard id != nil || form == .plist else {
                throw ValidationError("Name a session, or use --format plist for all.")
            }
            guard route.sensor == nil || form != .plist else {
                throw ValidationError("--sensor cannot be combined with --format plist.")
            }
        }

        /// The file; `nil` for standard output.
        private var file: String? { output == "-" ? nil : output }

        /// The format of `--format`, or else of the file's extension; `nil` if neither names one.
        private var form: Form? {
            format ?? file.flatMap { Form(rawValue: URL(filePath: $0).pathExtension.lowercased()) }
        }

        func run() async throws {
            if file == nil {
                try RawOutput.check(
                    "Routes and samples are",
                    hint: "Use -o, or redirect standard output to a file or program.")
            }
            try await HostSession.with(options.host) { session in
                let data = try await content(session)
                guard let file else {
                    _ = try RawOutput.write(data)
                    return
                }
                do {
                    try data.write(to: URL(filePath: file), options: .withoutOverwriting)
                } catch {
                    throw CommandFailure.cannotWrite(file)
                }
                if options.json {
                    try options.console.print(encoding: ["bytes": data.count])
                } else {
                    options.console.say("Wrote \(file).")
                }
            }
        }

        private func content(_ session: HostSession) async throws -> Data {
            guard let id, form != .plist else {
                return try await session.client.workouts(ofSession: id)
            }
            let (client, sensor) = (session.client, route.sensor)
            let isRoute: Bool
            switch form {
            case .geojson, .gpx: isRoute = true
            case .csv, .ndjson, .json: isRoute = false
            case .svg, .plist, nil:
                isRoute = try await client.session(id).value.hasRoute(by: sensor)
            }
            let chosen = form ?? (isRoute ? .geojson : .csv)
            return isRoute
                ? try await client.route(ofSession: id, format: chosen.rawValue, sensor: sensor)
                : try await client.samples(ofSession: id, format: chosen.rawValue, sensor: sensor)
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Create sessions from the workouts or tracks of a file.",
            discussion: """
                Examples:
                  nervous sessions import workouts.plist
                  nervous sessions import walk.gpx
                  nervous sessions import activity.fit.gz
                  nervous sessions import plan.geojson --start "2026-03-01 09:30" --speed 15

                The format is recognised by the content: an XML property list of workouts, or
                tracks as GPX, FIT, TCX, KML, KMZ or GeoJSON, also compressed by gzip. Each
                track becomes a session. Points and tracks that cannot be used are left out and
                reported. Existing sessions are unchanged, so repeating an import creates no
                duplicates.

                A track without times, such as a route that was drawn, is left out unless
                --start says when the first of them begins.
                """)

        /// The formats of a file.
        enum Form: String, CaseIterable, ExpressibleByArgument {
            case plist, gpx, geojson, tcx, kml, fit

            var mediaType: String {
                switch self {
                case .plist: "application/x-plist"
                case .gpx: "application/gpx+xml"
                case .geojson: "application/geo+json"
                case .tcx: "application/vnd.garmin.tcx+xml"
                case .kml: "application/vnd.google-earth.kml+xml"
                case .fit: "application/vnd.ant.fit"
                }
            }
        }

        @OptionGroup var options: GlobalOptions

        @Argument(help: "A file of workouts or tracks.", completion: .file())
        var file: String

        @Option(help: "The only format to accept; by default any.")
        var format: Form?

        @Option(
            help: ArgumentHelp(
                "When the first track without times begins, such as \"2026-03-01 09:30\".",
                valueName: "time"))
        var start: String?

        @Option(
            help: ArgumentHelp(
                "The speed of tracks without times, in km/h; 5 by default.", valueName: "number"))
        var speed: Double?

        func validate() throws {
            guard let speed else { return }
            guard start != nil else { throw ValidationError("--speed needs --start.") }
            guard (0.36...1080).contains(speed) else {
                throw ValidationError("--speed is 0.36 to 1080 km/h.")
            }
        }

        func run() async throws {
            let body: Data
            do {
                body = try Data(contentsOf: URL(filePath: file))
            } catch {
                throw CommandFailure(.noInput, "Cannot read \(file).")
            }
            try await HostSession.with(options.host) { session in
                let reply: APIReply<ImportDescription>
                do {
                    reply = try await session.client.importWorkouts(
                        body, type: format?.mediaType ?? "application/octet-stream",
                        start: TimeInput().parameter(start), speed: speed.map { $0 / 3.6 })
                } catch let error as APIError where error.code == .invalidWorkouts {
                    let failure = CommandFailure(error)
                    throw CommandFailure(
                        .badData, "\(file) was not imported: \(failure.message)",
                        hint: failure.hint, type: failure.type)
                }
                guard !options.json else { return options.console.print(json: reply.json) }
                let made = try reply.value
                var table = Table("SESSION", "STATE", "STARTED", "ACTIVE", "NAME")
                for item in made.items { table.add(item.row) }
                if !made.items.isEmpty { options.console.print(table) }
                if !made.known.isEmpty {
                    options.console.say("Already exist: \(made.known.joined(separator: ", "))")
                }
                for remark in made.remarks {
                    options.console.say(remark.text.escapedForDisplay(limit: 240))
                }
            }
        }
    }
}

extension SessionsCommand {
    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send",
            abstract: "Upload the route or the samples of a session to a server.",
            discussion: """
                Examples:
                  nervous sessions send 3f2a90c1d4e5b678 --to https://trips.example.org
                  nervous sessions send 3f2a90c1d4e5b678 --to https://trips.example.org \\
                      --format gpx --token-file ~/.config/trips-token

                The route, or the samples of a sensor if there is no route, is sent as the body
                of a POST request. An upload that cannot be delivered is retried later, unless
                you use --discard; see nervous outbox.
                """)

        /// The formats of a route and of samples.
        enum Form: String, CaseIterable, ExpressibleByArgument {
            case geojson, gpx, svg, csv, ndjson, json
        }

        @OptionGroup var choice: Choice

        @Option(
            help: ArgumentHelp(
                "The https URL to send to; http only for this machine.", valueName: "url"))
        var to: String

        @Option(help: "The format; by default geojson, or json without a route.")
        var format: Form?

        @OptionGroup var route: RouteChoice

        @Option(
            help: "A file with the bearer token of the server.", completion: .file())
        var tokenFile: String?

        @Flag(help: "Do not retry if it cannot be delivered.")
        var discard = false

        func validate() throws {
            guard WebAddress(to) != nil else {
                throw ValidationError(
                    "--to takes an address such as https://trips.example.org/reports.")
            }
        }

        func run() async throws {
            let options = choice.options
            try await HostSession.with(options.host) { session in
                let file = tokenFile.map { URL(filePath: $0).path(percentEncoded: false) }
                let reply = try await session.client.sendSession(
                    choice.id, format: format?.rawValue, sensor: route.sensor,
                    SendRequest(to: to, tokenFile: file, keep: !discard))
                try SendReport.show(reply, options)
            }
        }
    }
}
