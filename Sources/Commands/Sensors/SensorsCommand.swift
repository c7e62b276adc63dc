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
            commandName: "list",
            abstract: "List all sensors with their level and newest value.",
            discussion: """
                Examples:
                  nervous sensors
                  nervous sensors list --all
                  nervous sensors --watch
                  nervous sensors --watch --json

                On a terminal, --watch draws the list again every second. If there is room, a
                sparkline shows the last minute of a numeric field of each sensor.
                Elsewhere it prints the list whenever a sample arrives or a sensor changes;
                --json prints one list per line.
                """)

        @OptionGroup var options: GlobalOptions

        @Flag(help: "Also list sensors that are unavailable, or that never sent a sample.")
        var all = false

        @Flag(help: "Show them again every second, until Ctrl-C.")
        var watch = false

        func run() async throws {
            try await HostSession.with(options.host, collects: watch) { session in
                guard !watch else {
                    return try await session.follow(options.console) {
                        var view = SensorWatch(session.client, options.console, isAll: all)
                        try await view.run()
                    }
                }
                try await session.client.collect()
                var overview = SensorOverview()
                try await overview.readSensors(session.client)
                guard !options.json else { return options.console.print(json: overview.json) }
                try await overview.readSamples(session.client)
                show(overview)
            }
        }

        private func show(_ overview: SensorOverview) {
            options.console.print(overview.table(all: all))
            overview.remarks(all: all).forEach(options.console.say)
            let missing = overview.sensors.filter { !$0.available }
            guard all, !missing.isEmpty else { return }
            options.console.print("")
            var table = Table("NOT AVAILABLE", "REASON", "REMEDY")
            for sensor in missing {
                table.add(
                    sensor.id, sensor.unavailable?.reason ?? "",
                    sensor.unavailable?.remedy ?? "–")
            }
            options.console.print(table)
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
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
