import ArgumentParser
import Foundation
import Host
import API
import Samples

/// Shows what the samples take, and sets how long they are kept.
struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage",
        abstract: "See how much room samples take, and set how long they are kept.",
        discussion: """
            Examples:
              nervous storage                                   what each sensor takes
              nervous storage set cpu --raw 30d --summaries 5y  samples, then one summary an hour
              nervous storage set camera --bytes 500MB
              nervous storage set --default --raw 1y            all that have no rule of their own
              nervous storage reset cpu                         the default again
              nervous storage budget 5GB                        for everything together

            When samples go, a summary of each hour stays: count, mean, deviation, percentiles. Where
            the budget is full, the sensor that takes most gives up its oldest samples.
            """,
        subcommands: [List.self, Set.self, Reset.self, Budget.self], defaultSubcommand: List.self)

    static func path(_ sensor: String?) -> String {
        "/api/v1/retention" + (sensor.map { "/\(ControlClient.segment($0))" } ?? "")
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what each sensor takes, and how long there is room.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let data = try await session.client.data(.get, StorageCommand.path(nil))
                guard !options.json else { return options.console.print(json: data) }
                let storage = try JSONDecoder().decode(StorageDescription.self, from: data)
                storage.lines.forEach(options.console.print)
            }
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a sensor's own rule away.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor or the kind.")
        var sensor: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                _ = try await session.client.data(.delete, StorageCommand.path(sensor))
                if options.json {
                    options.console.print("{\"reset\":true}")
                } else {
                    options.console.print("\(sensor) has no rule of its own any more.")
                }
            }
        }
    }

    struct Budget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set how much room all samples together may take.",
            discussion: """
                Example:
                  nervous storage budget 5GB
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "Such as 500MB, 5GB or 10GiB.")
        var size: String

        private struct Wishes: Encodable {
            let budget: Int64
        }

        func run() async throws {
            guard let budget = StorageInput.bytes(size) else {
                throw CommandFailure(.usage, "A size such as 500MB, 5GB or 10GiB is needed.")
            }
            try await HostSession.with(options.host) { session in
                let data = try await session.client.data(
                    .put, StorageCommand.path(nil),
                    body: try JSONEncoder().encode(Wishes(budget: budget)))
                guard !options.json else { return options.console.print(json: data) }
                options.console.print(
                    "All samples together now take \(Format.bytes(Double(budget))) at most.")
            }
        }
    }
}

extension StorageCommand {
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set how long a sensor's samples and their summaries are kept.",
            discussion: """
                What is not named stays as it is; none takes a limit away.
                Examples:
                  nervous storage set cpu --raw 30d --summaries 5y --bytes 500MB
                  nervous storage set network --raw 1w --summaries none
                  nervous storage set --default --raw 1y
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor, such as cpu, or a kind, such as network.")
        var sensor: String?

        @Flag(name: .customLong("default"), help: "For every sensor without a rule of its own.")
        var isDefault = false

        @Option(help: ArgumentHelp("How old samples may get, such as 30d.", valueName: "age"))
        var raw: String?

        @Option(
            help: ArgumentHelp(
                "How old the summaries of hours may get, such as 5y; 0d makes none.",
                valueName: "age"))
        var summaries: String?

        @Option(help: ArgumentHelp("What samples may take, such as 500MB.", valueName: "size"))
        var bytes: String?

        func validate() throws {
            guard (sensor == nil) == isDefault else {
                throw ValidationError("Name a sensor, or say --default.")
            }
            guard raw != nil || summaries != nil || bytes != nil else {
                throw ValidationError("--raw, --summaries or --bytes is needed.")
            }
            for age in [raw, summaries].compactMap(\.self)
            where age != "none" && StorageInput.age(age) == nil {
                throw ValidationError("An age is such as 12h, 30d, 2w or 5y, or none.")
            }
            if let bytes, bytes != "none", StorageInput.bytes(bytes) == nil {
                throw ValidationError("--bytes takes a size such as 500MB, or none.")
            }
        }

        private struct Wishes: Encodable {
            let standard: RetentionDescription
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let storage = try await session.client.get(
                    StorageDescription.self, StorageCommand.path(nil))
                var rule =
                    storage.sensors.first { $0.sensor == sensor }?.rule ?? storage.standard
                if let raw { rule.raw = StorageInput.age(raw) }
                if let summaries { rule.summaries = StorageInput.age(summaries) }
                if let bytes { rule.bytes = StorageInput.bytes(bytes) }
                let encoder = JSONEncoder()
                let body =
                    try sensor == nil
                    ? encoder.encode(Wishes(standard: rule)) : encoder.encode(rule)
                _ = try await session.client.data(.put, StorageCommand.path(sensor), body: body)
                guard !options.json else { return try options.console.print(encoding: rule) }
                options.console.print("\(sensor ?? "Every other sensor"): \(rule.text).")
            }
        }
    }
}

/// Sizes and ages as a person writes them.
enum StorageInput {
    private static let units: [String: Int64] = [
        "": 1, "b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000,
        "tb": 1_000_000_000_000, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
    ]
    private static let days: [Character: Int64] = ["w": 7, "y": 365]

    /// Reads a whole number and a unit, such as `500MB` or `10GiB`; without one it counts bytes.
    ///
    /// - Returns: `nil` for anything else.
    static func bytes(_ text: String) -> Int64? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit = text.dropFirst(digits.count).lowercased()
        guard let count = Int64(digits), let size = units[unit] else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
        return overflow ? nil : bytes
    }

    /// Reads a span such as `30d`, or weeks and years of 365 days such as `5y`.
    ///
    /// - Returns: the same as a span of the API; `nil` for anything else.
    static func age(_ text: String) -> String? {
        if let span = Duration(span: text) { return span.span }
        guard let unit = text.last, let days = days[unit], let count = Int64(text.dropLast()),
            count >= 0, count <= 1000
        else { return nil }
        return Duration(span: "\(count * days)d")?.span
    }
}

extension RetentionDescription {
    /// The rule in words.
    var text: String {
        [
            raw.map { "samples for \($0)" } ?? "samples while they fit",
            bytes.map { "at most \(Format.bytes(Double($0)))" },
            summaries.map { "summaries for \($0)" } ?? "summaries for good",
        ].compactMap(\.self).joined(separator: ", ")
    }
}

extension StorageDescription {
    /// A table of the sensors, and what they take together.
    var lines: [String] {
        var table = Table("SENSOR", "SAMPLES", "BYTES", "A SAMPLE", "A DAY", "LEFT", "RULE")
        for sensor in sensors where sensor.samples > 0 || sensor.summaries > 0 {
            table.add(
                sensor.sensor, "\(sensor.samples)", Format.bytes(Double(sensor.bytes)),
                sensor.samples > 0
                    ? Format.number(
                        (Double(sensor.bytes) / Double(sensor.samples) * 10).rounded() / 10) + " B"
                    : "–",
                sensor.bytesPerDay.map(Format.bytes) ?? "–", sensor.daysLeft.map(Self.days) ?? "–",
                sensor.rule.text)
        }
        var lines = table.isEmpty ? ["Nothing is kept yet."] : table.lines + [""]
        lines.append(
            "\(Format.bytes(Double(bytes))) on disk, \(Format.bytes(Double(reusable))) of it to be"
                + " used again; budget \(Format.bytes(Double(budget))),"
                + " free on the disk \(Format.bytes(Double(free)))")
        lines.append("Sensors without a rule of their own: \(standard.text)")
        if !shrinks {
            lines.append(
                "The file is of an older version: what samples leave is used again, but the file"
                    + " does not get smaller.")
        }
        return lines
    }

    private static func days(_ count: Double) -> String {
        switch count {
        case ..<0.05: "none"
        case ..<2: "\(Format.number((count * 24).rounded())) h"
        case ..<730: "\(Int(count)) d"
        default: "\(Int(count / 365)) y"
        }
    }
}
