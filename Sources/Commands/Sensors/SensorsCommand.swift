import API
import ArgumentParser
import Foundation
import Host
import Samples

/// Lists sensors, sets their levels, declares and defines sensors, and installs sensor packs.
struct SensorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensors",
        abstract: "List the sensors of this machine, and set how often they are read.",
        subcommands: [
            List.self, Show.self, Set.self, Add.self, AddPhone.self, Define.self, Remove.self,
            Install.self, Packs.self, Uninstall.self,
        ],
        defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List all sensors with their level and newest value.")

        @OptionGroup var options: GlobalOptions

        @Flag(help: "Also list sensors that are not available, or never sent a sample.")
        var all = false

        func run() async throws {
            try await HostSession.with(options.host) { session in
                try await session.client.collect()
                let reply = try await session.client.sensors()
                guard !options.json else { return options.console.print(json: reply.json) }
                try await show(reply.value.items, session)
            }
        }

        private func show(_ list: [SensorDescription], _ session: HostSession) async throws {
            var table = Table("SENSOR", "LEVEL", "NEWEST", "VALUES")
            let silent = all ? [] : Self.silentDevices(list)
            let folded = Swift.Set(silent.flatMap(\.sensors))
            for sensor in list where sensor.available && !folded.contains(sensor.id) {
                guard sensor.definition == nil else {
                    try await add(virtual: sensor, to: &table, session)
                    continue
                }
                var values = sensor.level == "off" ? "not read" : "no samples"
                if sensor.newest != nil {
                    let newest = try await session.client.latest(of: sensor.id).value.values
                    values = Self.values(newest, sensor)
                }
                table.add(sensor.id, sensor.levelText, sensor.newestAge, values)
            }
            table.lines.forEach(options.console.print)
            for (device, sensors) in silent {
                options.console.say(
                    "\(sensors.count) sensors of \(device) never sent a sample; see: nervous sensors"
                        + " list --all")
            }
            for sensor in list {
                guard let clock = sensor.clock, clock.wrong else { continue }
                options.console.say(
                    "The clock of \(sensor.id) is \(clock.text); see: nervous sensors show"
                        + " \(sensor.id)")
            }
            let missing = list.filter { !$0.available }
            if all, !missing.isEmpty {
                options.console.print("")
                var table = Table("NOT AVAILABLE", "REASON", "REMEDY")
                for sensor in missing {
                    table.add(
                        sensor.id, sensor.unavailable?.reason ?? "",
                        sensor.unavailable?.remedy ?? "–")
                }
                table.lines.forEach(options.console.print)
            } else if !missing.isEmpty {
                options.console.say(
                    "\(missing.count) more are not available; see: nervous sensors list --all")
            }
        }

        /// The devices, such as phones, with three or more sensors that never sent a sample.
        ///
        /// The name of a device is the part of its sensors' names that follows the kind.
        static func silentDevices(
            _ list: [SensorDescription]
        ) -> [(device: String, sensors: [String])] {
            let groups = Dictionary(grouping: list.filter(\.isSilent)) { sensor in
                sensor.id.split(separator: ".", maxSplits: 1).last.map(String.init) ?? sensor.id
            }
            return groups.filter { $0.value.count >= 3 }
                .map { ($0.key, $0.value.map(\.id)) }.sorted { $0.0 < $1.0 }
        }

        /// A virtual sensor has no level, and its newest sample is computed now.
        private func add(
            virtual sensor: SensorDescription, to table: inout Table, _ session: HostSession
        ) async throws {
            do {
                let newest = try await session.client.samples(
                    of: sensor.id, query: [("order", "desc"), ("limit", "1")]
                ).value.items.first
                table.add(
                    sensor.id, sensor.source, Format.age(newest?["t"]?.number),
                    newest.map { Self.values($0, sensor) } ?? "no samples")
            } catch let error as APIError {
                // A sensor that cannot be computed must not hide the others.
                table.add(
                    sensor.id, sensor.source, Format.age(nil), CommandFailure(error).message)
            }
        }

        private static func values(
            _ newest: [String: SampleValue], _ sensor: SensorDescription
        ) -> String {
            let values = sensor.fields.prefix(3).compactMap { field in
                newest[field.name].map { "\(field.name) \($0.text(unit: field.unit))" }
            }.joined(separator: ", ")
            return sensor.fields.count > 3 ? values + ", …" : values
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the level of a sensor, or of all sensors of a kind.",
            discussion: """
                Examples:
                  nervous sensors set cpu high
                  nervous sensors set network off
                  nervous sensors set cpu 500ms
                  nervous sensors set temperature auto

                At auto, a sensor is read often while its values change and rarely while
                they do not, at intervals between those of high and low.
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(
            help: "The sensor, such as cpu, or a kind, such as network.",
            completion: .names(.sensorOrKind))
        var sensor: String

        @Argument(
            help: "off, low, medium, high, auto, or an interval such as 500ms, 2s or 5m.",
            completion: .list(["off", "low", "medium", "high", "auto"]))
        var level: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.setLevel(level, of: sensor).value
                if options.json {
                    try options.console.print(encoding: reply)
                } else {
                    options.console.print("\(sensor) is now \(reply.level).")
                }
            }
        }
    }
}
