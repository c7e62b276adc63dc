import API
import Samples
import Testing

@testable import Commands

/// The text about the newest sample in the list of sensors and in `sensors show`.
struct SensorTextTests {
    private static func sensor(
        newest: Double?, stale: Bool? = nil, future: Double? = nil,
        clock: SensorDescription.Clock? = nil
    ) -> SensorDescription {
        SensorDescription(
            id: "cpu", title: "Processor", fields: [], source: "/proc/stat", available: true,
            level: "medium", access: "granted", newest: newest, age: 0, stale: stale,
            future: future, clock: clock, failures: 0)
    }

    @Test(arguments: [
        (1000.0, "auto (1s, 200ms to 10s)"), (1250, "auto (1250ms, 200ms to 10s)"),
        (nil, "auto (200ms to 10s)"),
    ])
    func `the level auto is shown with its interval and its bounds`(current: Double?, text: String)
    {
        let sensor = SensorDescription(
            id: "cpu", title: "Processor", fields: [], source: "/proc/stat", available: true,
            level: "auto", interval: .init(current: current, shortest: 200, longest: 10_000),
            access: "granted", failures: 0)
        #expect(sensor.levelText == text)
        #expect(sensor.lines.contains("Level:    \(text)"))
    }

    @Test(arguments: [
        (3_600_000.0, true, "3600 s ahead of this machine"),
        (120, false, "0.12 s ahead of this machine"),
        (-7210, true, "7.21 s behind this machine, or the samples arrive late"),
    ])
    func `the clock of a source is shown, and a wrong one with a remedy`(
        offset: Double, isWrong: Bool, text: String
    ) {
        let clock = SensorDescription.Clock(offset: offset, measured: 0, wrong: isWrong)
        let lines = Self.sensor(newest: nil, clock: clock).lines
        #expect(lines.contains("Clock:    \(text)"))
        #expect(lines.contains { $0.hasPrefix("Remedy:   set the clock") } == isWrong)
        #expect(!Self.sensor(newest: nil).lines.contains { $0.hasPrefix("Clock:") })
    }

    @Test(arguments: [(true, "3 d ago, stale"), (false, "3 d ago"), (nil, "3 d ago")])
    func `a stale sample is marked`(stale: Bool?, text: String) {
        let newest = Timestamp.now().advanced(by: .seconds(-3 * 86_400 - 60)).milliseconds
        let sensor = Self.sensor(newest: newest, stale: stale)
        #expect(sensor.newestAge == text)
        #expect(sensor.lines.contains("Newest:   \(text)"))
        #expect(!sensor.lines.contains { $0.hasPrefix("Future:") })
    }

    @Test func `samples in the future are shown with the command that removes them`() throws {
        let future = Timestamp.now().advanced(by: .seconds(400 * 86_400)).milliseconds
        let lines = Self.sensor(newest: nil, future: future).lines
        #expect(lines.contains("Newest:   never"))
        let place = try #require(lines.firstIndex { $0.hasPrefix("Future:   samples up to 20") })
        #expect(lines[place + 1].hasPrefix("Remedy:   nervous forget cpu --from 20"))
        let time = try #require(lines[place + 1].split(separator: " ").last)
        #expect(Timestamp(rfc3339: String(time)) != nil)
    }
}
