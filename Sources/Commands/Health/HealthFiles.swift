import API
import ArgumentParser
import Foundation
import Host
import Text

extension HealthCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show samples, workouts, correlations or a characteristic.",
            discussion: """
                Examples:
                  nervous health show heart-rate --from -1d
                  nervous health show body-mass --unit "[lb_av]"
                  nervous health show workout --from -30d --limit 50
                  nervous health show date-of-birth
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The type; see: nervous health types.")
        var type: String

        @OptionGroup var range: TimeBoundOptions

        @Option(help: "The maximum number, newest first; 100 by default, 10 for workouts.")
        var limit: Int?

        @Option(help: ArgumentHelp("The unit of samples, as a UCUM code.", valueName: "code"))
        var unit: String?

        func validate() throws {
            guard limit.map({ $0 >= 1 }) ?? true else {
                throw ValidationError("--limit must be at least 1.")
            }
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let known = try await session.client.healthTypes().value.items
                let kind = known.first { $0.id == type }?.kind
                switch kind {
                case "characteristic": try await showCharacteristic(session)
                case "workout": try await showWorkouts(session)
                case "correlation": try await showCorrelations(session)
                // For an unknown type, the host says so.
                default: try await showSamples(session)
                }
            }
        }

        private func showCharacteristic(_ session: HostSession) async throws {
            let reply = try await session.client.characteristic(type)
            guard !options.json else { return options.console.print(json: reply.json) }
            options.console.print(try reply.value.valueText)
        }

        private func showSamples(_ session: HostSession) async throws {
            let (from, to) = range.parameters
            let reply = try await session.client.healthSamples(
                of: type, from: from, to: to, limit: limit ?? 100, unit: unit)
            guard !options.json else { return options.console.print(json: reply.json) }
            let list = try reply.value
            var table = Table("TIME", "VALUE", "APP", "ID")
            for item in list.items {
                table.add(
                    Format.time(item.start), item.value.shown(in: item.unit), item.app ?? "–",
                    item.id)
            }
            show(table, count: list.items.count, hasMore: list.next != nil)
        }

        private func showWorkouts(_ session: HostSession) async throws {
            let (from, to) = range.parameters
            let reply = try await session.client.healthWorkouts(
                from: from, to: to, limit: limit ?? 10)
            guard !options.json else { return options.console.print(json: reply.json) }
            let list = try reply.value
            var table = Table("WORKOUT", "RESULT", "APP", "ID")
            for item in list.items {
                table.add(item.text.title, item.text.detail, item.app ?? "–", item.id)
            }
            show(table, count: list.items.count, hasMore: list.next != nil)
        }

        private func showCorrelations(_ session: HostSession) async throws {
            let (from, to) = range.parameters
            let reply = try await session.client.healthCorrelations(
                of: type, from: from, to: to, limit: limit ?? 100)
            guard !options.json else { return options.console.print(json: reply.json) }
            let list = try reply.value
            var table = Table("TIME", "VALUES", "APP", "ID")
            for item in list.items {
                let values = item.samples.map { "\($0.type) \($0.value.shown(in: $0.unit))" }
                table.add(
                    Format.time(item.start), values.joined(separator: ", "), item.app ?? "–",
                    item.id)
            }
            show(table, count: list.items.count, hasMore: list.next != nil)
        }

        private func show(_ table: Table, count: Int, hasMore: Bool) {
            guard count > 0 else { return options.console.say("No \(type) in this range.") }
            options.console.print(table)
            if hasMore { options.console.say("There are more; use --limit.") }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Export health data as JSON lines.",
            discussion: """
                Each line is a characteristic, a sample, a workout with its samples or a
                correlation with its samples, in the form of the API. A sample of a workout or
                correlation is in the line of the object that it belongs to only.

                Examples:
                  nervous health export -o health.ndjson
                  nervous health export --type heart-rate | gzip > heart-rate.ndjson.gz
                """)

        /// The objects of a page.
        private static let page = 1000

        @OptionGroup var options: GlobalOptions

        @Option(help: "Only data of this type; may be repeated.")
        var type: [String] = []

        @Option(name: .shortAndLong, help: "The file; - for standard output.")
        var output = "-"

        func run() async throws {
            if output == "-" { try RawOutput.check() }
            try await HostSession.with(options.host) { session in
                let known = try await session.client.healthTypes().value.items
                if let unknown = type.first(where: { name in !known.contains { $0.id == name } }) {
                    throw CommandFailure(
                        .noInput,
                        "No type of health data has the name \(unknown.debugDescription).",
                        hint: "List the types with: nervous health types")
                }
                let wanted = known.filter { type.isEmpty || type.contains($0.id) }
                let file = try Output(output)
                for found in wanted { try await export(found, session, file) }
                try file.close()
                if options.json {
                    try options.console.print(encoding: ["lines": file.lines])
                } else if output != "-" {
                    options.console.say("Wrote \(file.lines) lines to \(output).")
                }
            }
        }

        func validate() throws {
            guard output != "-" || !options.json else {
                throw ValidationError("--json needs a file: use --output.")
            }
        }

        private func export(
            _ type: HealthTypeDescription, _ session: HostSession, _ file: Output
        ) async throws {
            let client = session.client
            switch type.kind {
            case "characteristic":
                do {
                    try file.write(try await client.characteristic(type.id).value)
                } catch let error as APIError where error.code == .notFound {
                    // The owner has not set it.
                }
            case "workout":
                try await pages { cursor in
                    let page = try await client.healthWorkouts(
                        from: "1900-01-01T00:00:00Z", limit: Self.page, cursor: cursor
                    ).value
                    for workout in page.items {
                        try file.write(try await client.healthWorkout(workout.id).value)
                    }
                    return page.next
                }
            case "correlation":
                try await pages { cursor in
                    let page = try await client.healthCorrelations(
                        of: type.id, limit: Self.page, cursor: cursor
                    ).value
                    for item in page.items { try file.write(item) }
                    return page.next
                }
            default:
                try await pages { cursor in
                    let page = try await client.healthSamples(
                        of: type.id, limit: Self.page, cursor: cursor
                    ).value
                    for item in page.items where item.workout == nil && item.correlation == nil {
                        try file.write(item)
                    }
                    return page.next
                }
            }
        }

        private func pages(_ body: (String?) async throws -> String?) async throws {
            var cursor: String?
            repeat {
                cursor = try await body(cursor)
            } while cursor != nil
        }
    }

    /// Where an export is written.
    private final class Output {
        private let handle: FileHandle?
        private(set) var lines = 0

        /// - Parameter path: `-` for standard output; a file that does not exist otherwise.
        init(_ path: String) throws {
            guard path != "-" else {
                handle = nil
                return
            }
            let files = FileManager.default
            guard !files.fileExists(atPath: path),
                files.createFile(
                    atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
                let handle = FileHandle(forWritingAtPath: path)
            else { throw CommandFailure.cannotWrite(path) }
            self.handle = handle
        }

        func write(_ value: some Encodable) throws {
            let line = try JSONEncoder.sorted.encode(value) + Data("\n".utf8)
            lines += 1
            guard let handle else {
                _ = try RawOutput.write(line)
                return
            }
            try handle.write(contentsOf: line)
        }

        func close() throws {
            try handle?.synchronize()
            try handle?.close()
        }
    }
}
