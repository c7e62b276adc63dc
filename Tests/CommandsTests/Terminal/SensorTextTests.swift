import API
import Samples
import Testing

@testable import Commands

/// The text about the newest sample in the list of sensors and in `sensors show`.
struct SensorTextTests {
    private static func sensor(
        newest: Double?, stale: Bool? = nil, future: Double? = nil
    ) -> SensorDescription {
        SensorDescription(
            id: "cpu", title: "Processor", fields: [], source: "/proc/stat", available: true,
            level: "medium", access: "granted", newest: newest, age: 0, stale: stale,
            future: future, failures: 0)
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
