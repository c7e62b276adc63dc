import ArgumentParser
import Foundation
import Host
import API
import Samples

/// Lists sensors, sets how often they are read, declares those that clients publish to, defines virtual
/// ones, and installs those outside this machine.
struct SensorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensors",
        abstract: "List what this machine can sense, or set how often a sensor is read.",
        subcommands: [
            List.self, Show.self, Set.self, Add.self, AddPhone.self, Define.self, Remove.self,
            Install.self, Packs.self, Uninstall.self,
        ],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List every sensor, its collection level and its newest value.")

        @OptionGroup var options: GlobalOptions

        @Flag(help: "Also list hardware that this machine lacks, and why.")
        var all = false

        func run() async throws {
            try await HostSession.with(options.host) { session in
                _ = try await session.client.data(.post, "/api/v1/collection")
                guard !options.json else {
                    options.console.print(
                        json: try await session.client.data(.get, "/api/v1/sensors"))
                    return
                }
                try await table(session)
            }
        }

        private func table(_ session: HostSession) async throws {
            let list = try await session.client.get(
                ItemList<SensorDescription>.self, "/api/v1/sensors"
            ).items
            var table = Table("SENSOR", "LEVEL", "NEWEST", "VALUES")
            for sensor in list where sensor.available {
                guard sensor.definition == nil else {
                    try await add(virtual: sensor, to: &table, session)
                    continue
                }
                var values = sensor.level == "off" ? "not read" : "nothing yet"
                if sensor.newest != nil {
                    let path = "/api/v1/sensors/\(sensor.id)/latest"
                    let newest = try await session.client.get([String: JSONScalar].self, path)
                    values = Self.values(newest, sensor)
                }
                table.add(sensor.id, sensor.level, Format.age(sensor.newest), values)
            }
            table.lines.forEach(options.console.print)
            let missing = list.filter { !$0.available }
            if all, !missing.isEmpty {
                options.console.print("")
                var table = Table("MISSING", "WHY", "WHAT HELPS")
                for sensor in missing {
                    table.add(
                        sensor.id, sensor.unavailable?.reason ?? "",
                        sensor.unavailable?.remedy ?? "–")
                }
                table.lines.forEach(options.console.print)
            } else if !missing.isEmpty {
                options.console.say(
                    "\(missing.count) more are missing here: nervous sensors list --all says why")
            }
        }

        private struct Newest: Decodable {
            let items: [[String: JSONScalar]]
        }

        /// A virtual sensor is not read at a level, and its newest sample is computed now.
        private func add(
            virtual sensor: SensorDescription, to table: inout Table, _ session: HostSession
        ) async throws {
            do {
                let found = try await session.client.get(
                    Newest.self, "/api/v1/sensors/\(sensor.id)/samples",
                    query: [("order", "desc"), ("limit", "1")])
                let newest = found.items.first
                table.add(
                    sensor.id, sensor.source, Format.age(newest?["t"]?.number),
                    newest.map { Self.values($0, sensor) } ?? "nothing yet")
            } catch let failure as CommandFailure {
                // One that cannot be computed any more must not hide the others.
                table.add(sensor.id, sensor.source, Format.age(nil), failure.message)
            }
        }

        private static func values(
            _ newest: [String: JSONScalar], _ sensor: SensorDescription
        ) -> String {
            let values = sensor.fields.prefix(3).compactMap { field in
                newest[field.name].map { "\(field.name) \($0.text(unit: field.unit))" }
            }.joined(separator: ", ")
            return sensor.fields.count > 3 ? values + ", …" : values
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set how often a sensor, or every instance of a kind, is read.",
            discussion: """
                Examples:
                  nervous sensors set cpu high
                  nervous sensors set network off
                  nervous sensors set cpu 500ms
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor, such as cpu, or a kind, such as network.")
        var sensor: String

        @Argument(help: "off, low, medium, high, or a time between readings such as 500ms, 2s, 5m.")
        var level: String

        private struct Level: Codable {
            let level: String
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let path = "/api/v1/collection/\(ControlClient.segment(sensor))"
                let answer = try await session.client.send(
                    .put, path, Level(level: level), as: Level.self)
                if options.json {
                    options.console.print("{\"level\":\"\(answer.level)\"}")
                } else {
                    options.console.print("\(sensor) is now \(answer.level).")
                }
            }
        }
    }
}
