import API
import ArgumentParser
import Foundation
import Host
import Samples

/// Shows the storage that samples take, and sets their retention.
struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage",
        abstract: "Show the storage that samples take, and set their retention.",
        discussion: """
            Examples:
              nervous storage                                   the storage of each sensor
              nervous storage list --follow                     the size, each minute
              nervous storage set cpu --raw 30d --summaries 5y  the retention of a sensor
              nervous storage set camera --bytes 500MB
              nervous storage set --default --raw 1y            the default retention
              nervous storage reset cpu                         use the default again
              nervous storage budget 5GB                        for all samples together

            When samples are deleted, a summary of each hour is kept: count, mean,
            deviation, percentiles. When the budget is exceeded, the oldest samples are
            deleted: first those of clients that have published more than their share, then
            those of the largest sensor.
            """,
        subcommands: [List.self, Set.self, Reset.self, Budget.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the storage of each sensor, and the time until the budget is used up.")

        @OptionGroup var options: GlobalOptions

        @Flag(
            help: ArgumentHelp(
                "Print the size of all samples, and again each minute if it has changed, until Ctrl-C."
            ))
        var follow = false

        func run() async throws {
            try await HostSession.with(options.host, collects: follow) { session in
                guard !follow else {
                    return try await session.follow(options.console) {
                        try await session.client.follow(.storage, isOnce: false, show: show)
                    }
                }
                let reply = try await session.client.storage()
                guard !options.json else { return options.console.print(json: reply.json) }
                try reply.value.lines(columns: options.console.columns).forEach(
                    options.console.print)
            }
        }

        private func show(_ data: Data) throws {
            guard !options.json else { return options.console.print(json: data) }
            let summary = try JSONDecoder().decode(StorageSummary.self, from: data)
            let (used, budget, free) = (summary.bytes, summary.budget, summary.free)
            options.console.print(
                "\(Format.time(Timestamp.now().milliseconds))  \(Format.bytes(Double(used))) of"
                    + " \(Format.bytes(Double(budget))), \(Format.bytes(Double(free))) free on disk"
            )
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset",
            abstract: "Use the default retention for a sensor again.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The sensor or the kind.", completion: .names(.sensorOrKind))
        var sensor: String

        func run() async throws {
            try await HostSession.with(options.host) { session in
                try await session.client.resetRetention(of: sensor)
                if options.json {
                    try options.console.print(encoding: ["reset": true])
                } else {
                    options.console.print("Removed the rule of \(sensor).")
                }
            }
        }
    }

    struct Budget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "budget",
            abstract: "Set the storage budget of all samples together.",
            discussion: """
                Example:
                  nervous storage budget 5GB
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(help: "Such as 500MB, 5GB or 10GiB.")
        var size: String

        func run() async throws {
            guard let budget = StorageInput.bytes(size) else {
                throw CommandFailure(
                    .usage, "The size must be a number and a unit, such as 500MB, 5GB or 10GiB.")
            }
            try await HostSession.with(options.host) { session in
                let reply = try await session.client.setStorage(RetentionRequest(budget: budget))
                guard !options.json else { return options.console.print(json: reply.json) }
                options.console.print(
                    "The storage budget is now \(Format.bytes(Double(budget))).")
            }
        }
    }
}

extension StorageCommand {
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Set how long samples and summaries of a sensor are kept.",
            discussion: """
                Limits that you do not name stay as they are. The value 'none' means no limit:
                --summaries none keeps summaries of any age, --summaries 0d keeps none.
                Examples:
                  nervous storage set cpu --raw 30d --summaries 5y --bytes 500MB
                  nervous storage set network --raw 1w --summaries none
                  nervous storage set --default --raw 1y
                """)

        @OptionGroup var options: GlobalOptions

        @Argument(
            help: "The sensor, such as cpu, or a kind, such as network.",
            completion: .names(.sensorOrKind))
        var sensor: String?

        @Flag(
            name: .customLong("default"),
            help: "Set the default, for all sensors without a rule of their own.")
        var isDefault = false

        @Option(help: ArgumentHelp("The maximum age of samples, such as 30d.", valueName: "age"))
        var raw: String?

        @Option(
            help: ArgumentHelp(
                "The maximum age of hourly summaries, such as 5y; 0d for no summaries.",
                valueName: "age"))
        var summaries: String?

        @Option(
            help: ArgumentHelp("The maximum size of samples, such as 500MB.", valueName: "size"))
        var bytes: String?

        func validate() throws {
            guard (sensor == nil) == isDefault else {
                throw ValidationError("Name a sensor, or use --default.")
            }
            guard raw != nil || summaries != nil || bytes != nil else {
                throw ValidationError("Use --raw, --summaries or --bytes.")
            }
            for age in [raw, summaries].compactMap(\.self)
            where age != "none" && StorageInput.age(age) == nil {
                throw ValidationError("An age must be a duration such as 12h, 30d or 5y, or none.")
            }
            if let bytes, bytes != "none", StorageInput.bytes(bytes) == nil {
                throw ValidationError("--bytes takes a size such as 500MB, or none.")
            }
        }

        func run() async throws {
            try await HostSession.with(options.host) { session in
                let storage = try await session.client.storage().value
                var rule =
                    storage.sensors.first { $0.sensor == sensor }?.rule ?? storage.standard
                if let raw { rule.raw = StorageInput.age(raw) }
                if let summaries { rule.summaries = StorageInput.age(summaries) }
                if let bytes { rule.bytes = StorageInput.bytes(bytes) }
                if let sensor {
                    try await session.client.setRetention(rule, of: sensor)
                } else {
                    _ = try await session.client.setStorage(RetentionRequest(standard: rule))
                }
                guard !options.json else { return try options.console.print(encoding: rule) }
                options.console.print("\(sensor ?? "Default"): \(rule.text).")
            }
        }
    }
}

/// Parses sizes and ages.
enum StorageInput {
    private static let units: [String: Int64] = [
        "": 1, "b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000,
        "tb": 1_000_000_000_000, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
    ]
    private static let days: [Character: Int64] = ["w": 7, "y": 365]

    /// Parses an integer and a unit, such as `500MB` or `10GiB`; bytes without a unit.
    ///
    /// - Returns: `nil` for anything else.
    static func bytes(_ text: String) -> Int64? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit = text.dropFirst(digits.count).lowercased()
        guard let count = Int64(digits), let size = units[unit] else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
        return overflow ? nil : bytes
    }

    /// Parses a duration such as `30d`, or weeks and years of 365 days such as `5y`.
    ///
    /// - Returns: the duration in the syntax of the API; `nil` for anything else.
    static func age(_ text: String) -> String? {
        if let span = Duration(span: text) { return span.span }
        guard let unit = text.last, let days = days[unit], let count = Int64(text.dropLast()),
            count >= 0, count <= 1000
        else { return nil }
        return Duration(span: "\(count * days)d")?.span
    }
}

extension RetentionDescription {
    /// The rule as text.
    var text: String {
        [
            raw.map { "samples for \($0)" } ?? "samples without limit",
            bytes.map { "at most \(Format.bytes(Double($0)))" },
            summaries.map { "summaries for \($0)" } ?? "summaries without limit",
        ].compactMap(\.self).joined(separator: ", ")
    }
}

extension StorageDescription {
    /// A table of the sensors, and the totals.
    func lines(columns: Int?) -> [String] {
        var table = Table("SENSOR", "SAMPLES", "SIZE", "PER SAMPLE", "PER DAY", "LEFT", "RULE")
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
        var lines = table.isEmpty ? ["No samples yet."] : table.lines(columns: columns) + [""]
        if let clients {
            var table = Table("CLIENT", "PUBLISHED", "SHARE")
            for client in clients {
                table.add(
                    client.client, Format.bytes(Double(client.bytes)),
                    Format.bytes(Double(client.share)))
            }
            lines += table.lines(columns: columns) + [""]
        }
        lines.append(
            "\(Format.bytes(Double(bytes))) on disk, \(Format.bytes(Double(reusable))) of it"
                + " reusable; budget \(Format.bytes(Double(budget))),"
                + " \(Format.bytes(Double(free))) free on the disk")
        lines.append("Default rule: \(standard.text)")
        lines.append(
            "Access log: \(Format.bytes(Double(accessLog.bytes))), budget"
                + " \(Format.bytes(Double(accessLog.budget)));"
                + " the last \(accessLog.keeps) are always kept")
        if !shrinks {
            lines.append(
                "The file was created by an older version: free space is reused, but the file does not"
                    + " shrink.")
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
