import API
import AppLab
import ArgumentParser
import Auth
import Foundation
import Host
import Ingest
import Samples

/// Records samples as a trace, for replays.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record sensors as a trace, to run and test apps on it.",
        discussion: """
            Examples:
              nervous record cpu memory --for 1m > quiet.trace
              nervous record accelerometer --last 10m -o walk.trace
              nervous run ./my-app --replay walk.trace
              nervous test ./my-app --replay walk.trace
            Ctrl-C ends a recording early; the samples until then are written. A trace
            contains the samples, so protect the file.
            """)

    private static let page = 10_000

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The sensors, such as cpu; see: nervous sensors.", completion: .names(.sensor))
    var sensors: [String]

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Record for this time, such as 1m.", valueName: "duration"))
    var duration: String?

    @Option(
        help: ArgumentHelp(
            "Use stored samples that are no older than this, such as 10m.", valueName: "duration"))
    var last: String?

    @Option(name: .shortAndLong, help: "The file; by default standard output.")
    var output: String?

    func validate() throws {
        guard !sensors.isEmpty else { throw ValidationError("Name at least one sensor.") }
        guard Set(sensors).count == sensors.count else {
            throw ValidationError("Name each sensor once.")
        }
        guard (duration == nil) != (last == nil) else {
            throw ValidationError("Use either --for or --last, such as --for 1m.")
        }
        for span in [duration, last].compactMap(\.self) where Duration(span: span) == nil {
            throw ValidationError("--for and --last take a duration such as 30s, 1m or 2h.")
        }
        if options.json, output == nil {
            throw ValidationError("--json requires --output.")
        }
    }

    func run() async throws {
        try await HostSession.with(options.host, collects: duration != nil) { session in
            let described = try await describe(session)
            let now = Timestamp.now()
            let start: Timestamp
            let end: Timestamp
            if let span = last.flatMap({ Duration(span: $0) }) {
                (start, end) = (now.advanced(byMicroseconds: -span.wholeMicroseconds), now)
            } else {
                start = now
                if Console.messagesAreTerminal, !options.json {
                    options.console.say("Recording \(sensors.joined(separator: ", ")) …")
                }
                try await wait(duration.flatMap { Duration(span: $0) } ?? .zero, session)
                end = .now()
            }
            try await write(described, start, end, session)
        }
    }

    private func describe(_ session: HostSession) async throws -> [SensorDescription] {
        var described: [SensorDescription] = []
        for sensor in sensors {
            let found = try await session.client.sensor(sensor).value
            if let lack = found.unavailable, last == nil {
                throw CommandFailure(
                    .unavailable, "\(sensor) is not available: \(lack.reason).", hint: lack.remedy,
                    type: "unavailable")
            }
            guard found.level != "off" || last != nil else {
                throw CommandFailure(
                    .unavailable, "\(sensor) is off.",
                    hint: "Turn it on with: nervous sensors set \(sensor) medium",
                    type: "sensor-off")
            }
            described.append(found)
        }
        return described
    }

    /// Waits for a duration, or until Ctrl-C.
    private func wait(_ duration: Duration, _ session: HostSession) async throws {
        let signals = await session.interruptions.listen()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(for: duration) }
            group.addTask { for await _ in signals { return } }
            await group.next()
            group.cancelAll()
        }
    }

    private struct Report: Encodable {
        let file: String
        let samples: Int
        let sensors: [String]
    }

    private func write(
        _ described: [SensorDescription], _ start: Timestamp, _ end: Timestamp,
        _ session: HostSession
    ) async throws {
        let file = try output.map { try TraceFile($0) }
        let console = options.console
        var writer = TraceWriter { line in
            if let file { try file.write(line) } else { console.print(line) }
        }
        try writer.begin(described, start: start.milliseconds)
        for sensor in described {
            var cursor: String?
            repeat {
                let page = try await session.client.page(
                    of: sensor.id, as: SampleFormat.ndjson.rawValue,
                    query: [
                        ("from", start.description), ("to", end.description),
                        ("limit", String(Self.page)), ("cursor", cursor),
                    ])
                for line in page.body.split(separator: 0x0A) {
                    try writer.sample(Array(line), of: sensor)
                }
                cursor = page.next
            } while cursor != nil
        }
        let count = try writer.finish(end: end.milliseconds)
        try file?.finish()
        if options.json {
            try console.print(
                encoding: Report(file: output ?? "", samples: count, sensors: sensors))
        } else {
            let place = output.map { " to \($0)" } ?? ""
            console.say("Recorded \(count) samples of \(sensors.joined(separator: ", "))\(place).")
        }
    }
}
