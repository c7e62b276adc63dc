import Foundation
import Samples
import TestSupport
import Testing

@testable import Commands

/// Days and times of the calendar, also where clocks change.
struct TimeInputTests {
    private static let zones = [
        "UTC", "Europe/Zurich", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe",
        "Asia/Kathmandu", "Africa/Cairo",
    ]

    private static func input(_ zone: String, _ now: String = "2024-11-05T12:34:56Z") throws
        -> TimeInput
    {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        return TimeInput(now: try #require(Timestamp(rfc3339: now)), calendar: calendar)
    }

    @Test(arguments: zones)
    func `the days of a year follow each other without gap, and each has its hours`(
        zone: String
    ) throws {
        let input = try Self.input(zone)
        var last: Timestamp?
        var total: Int64 = 0
        for month in 1...12 {
            for day in 1...31 {
                func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
                let text = "2024-\(two(month))-\(two(day))"
                guard let from = input.time(text) else {
                    // February, and the short months.
                    #expect(day > 29)
                    continue
                }
                let to = try #require(input.time(text, isEnd: true))
                if let last { #expect(from == last, "\(zone) \(text)") }
                let hours = Double(to.microseconds - from.microseconds) / 3_600_000_000
                #expect((23...25).contains(hours), "\(zone) \(text)")
                total += to.microseconds - from.microseconds
                last = to
            }
        }
        #expect(total == 366 * 86_400_000_000)
    }

    @Test(arguments: [
        ("2024-03-31", "2024-03-30T23:00:00.000000Z", "2024-03-31T22:00:00.000000Z"),
        ("2024-10-27", "2024-10-26T22:00:00.000000Z", "2024-10-27T23:00:00.000000Z"),
        ("2024-06-01 18:30", "2024-06-01T16:30:00.000000Z", "2024-06-01T16:30:00.000000Z"),
        ("2024-06-01T18:30:05", "2024-06-01T16:30:05.000000Z", "2024-06-01T16:30:05.000000Z"),
        ("today", "2024-11-04T23:00:00.000000Z", "2024-11-05T23:00:00.000000Z"),
        ("yesterday", "2024-11-03T23:00:00.000000Z", "2024-11-04T23:00:00.000000Z"),
        // This time of the day, before and after the clocks changed.
        ("-7d", "2024-10-29T12:34:56.000000Z", "2024-10-29T12:34:56.000000Z"),
        ("-2w", "2024-10-22T11:34:56.000000Z", "2024-10-22T11:34:56.000000Z"),
    ])
    func `a day, a local time and a number of days are those of the calendar`(
        text: String, from: String, to: String
    ) throws {
        let input = try Self.input("Europe/Zurich")
        #expect(input.parameter(text) == from)
        #expect(input.parameter(text, isEnd: true) == to)
    }

    @Test(arguments: [
        "-1h", "-15m", "now", "1700000000000", "2024-06-01T00:00:00Z", "2024-02-30", "2024-13-01",
        "2024-6-1", "24-06-01", "2024-06-01 25:00", "soon", "", "-d", "-5y", "٢٠٢٤-٠٦-٠١",
    ])
    func `any other text is passed to the host unchanged`(text: String) throws {
        #expect(try Self.input("Europe/Zurich").parameter(text) == text)
        #expect(try Self.input("UTC").parameter(nil) == nil)
    }

    @Test func `a grant for days ends at this time of the day`() throws {
        let input = try Self.input("Europe/Zurich", "2024-10-26T10:00:00Z")
        #expect(input.after("1d") == Timestamp(rfc3339: "2024-10-27T11:00:00Z"))
        #expect(input.after("24h") == Timestamp(rfc3339: "2024-10-27T10:00:00Z"))
        #expect(input.after("1w") == Timestamp(rfc3339: "2024-11-02T11:00:00Z"))
        #expect(input.after("soon") == nil)
    }
}
