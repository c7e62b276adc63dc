import API
import Foundation
import Host
import Samples

/// Shows the sensors repeatedly: on a terminal in place, elsewhere whenever one changes.
struct SensorWatch {
    /// The time that the sparklines show, in milliseconds.
    private static let minute = 60_000.0
    /// The minimum number of columns for showing levels and sparklines.
    private static let wide = 60

    let client: APIClient
    let console: Console
    /// Whether sensors without samples are shown, too.
    let isAll: Bool
    private var overview = SensorOverview()
    private var history: [String: RecentValues] = [:]

    init(_ client: APIClient, _ console: Console, isAll: Bool) {
        (self.client, self.console, self.isAll) = (client, console, isAll)
    }

    /// Runs until it is cancelled.
    mutating func run() async throws {
        try await client.collect()
        let screen = console.isJSON ? nil : LiveScreen(console)
        defer { screen?.close() }
        var shown: [[String]]?
        while true {
            try await overview.readSensors(client)
            if let screen {
                try await overview.readSamples(client)
                await remember()
                draw(on: screen)
            } else if overview.state != shown {
                shown = overview.state
                try await print()
            }
            try await Self.nextSecond()
        }
    }

    /// Waits until the next second of the clock.
    private static func nextSecond() async throws {
        let rest = 1_000_000 - Timestamp.now().microseconds % 1_000_000
        try await Task.sleep(for: .microseconds(rest))
    }

    private mutating func print() async throws {
        guard !console.isJSON else { return console.print(json: overview.json) }
        try await overview.readSamples(client)
        console.print(overview.table(all: isAll))
        console.print("")
    }

    /// Adds the newest values to the sparklines.
    private mutating func remember() async {
        for sensor in overview.listed(all: isAll) {
            guard let field = sensor.mainField else { continue }
            var values: RecentValues
            if let known = history[sensor.id] {
                values = known
            } else {
                values = await past(of: sensor, field)
            }
            if let sample = overview.sample(of: sensor), let time = sample["t"]?.number,
                let value = sample[field]?.number
            {
                values.add(value, at: time)
            }
            history[sensor.id] = values
        }
    }

    /// The values of the last minute before the watch began.
    private func past(of sensor: SensorDescription, _ field: String) async -> RecentValues {
        var values = RecentValues(length: Self.minute)
        let answer = try? await client.statistics(
            of: sensor.id,
            query: [("fn", "mean"), ("from", "-1m"), ("every", "2s"), ("fields", field)]
        ).value
        // A sensor whose past cannot be read is shown from now on.
        for window in answer?.items ?? [] {
            guard let time = window.from, let mean = window.values[field]?["mean"] ?? nil else {
                continue
            }
            values.add(mean, at: time)
        }
        return values
    }

    private func draw(on screen: LiveScreen) {
        let (columns, rows) = screen.size
        let now = Timestamp.now()
        let time = Format.time(now.milliseconds).suffix(8)
        let table = table(columns: columns, now.milliseconds).lines(columns: columns)
        let remarks = overview.remarks(all: isAll)
        let head = ["Sensors at \(time); Ctrl-C ends", ""]
        let room = rows - head.count
        guard table.count > room else {
            // Remarks are shown only if all sensors stay visible.
            let free = room - table.count - 1
            return screen.draw(head + table + [""] + remarks.prefix(max(0, free)))
        }
        let hidden = table.count - room + 1
        screen.draw(
            head + table.prefix(room - 1) + ["… \(hidden) more: use a taller terminal"])
    }

    private func table(columns: Int, _ now: Double) -> Table {
        let isWide = columns >= Self.wide
        let blocks = columns < 100 ? 12 : columns < 140 ? 20 : 30
        var table = Table(
            isWide
                ? ["SENSOR", "LEVEL", "NEWEST", "LAST MINUTE", "VALUES"]
                : ["SENSOR", "NEWEST", "VALUES"])
        for sensor in overview.listed(all: isAll) {
            let (age, values) = (overview.age(of: sensor), overview.values(of: sensor))
            guard isWide else {
                table.add(sensor.id, age, values)
                continue
            }
            let newest = overview.sample(of: sensor)?["t"]?.number ?? 0
            let recent = now - newest < Self.minute ? history[sensor.id] : nil
            let line = recent.map { Sparkline.text($0.means(count: blocks, until: now)) } ?? ""
            table.add(sensor.id, overview.level(of: sensor), age, line, values)
        }
        return table
    }
}
