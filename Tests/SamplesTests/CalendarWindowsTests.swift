import Samples
import Testing

/// Days, weeks and months where clocks change.
struct CalendarWindowsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let span: String
        let zone: String
        let from: String
        let to: String
        /// The first window, and the hours of all of them.
        let start: String
        let hours: [Int64]

        var testDescription: String { "\(span) \(zone) \(from)" }
    }

    private static func time(_ text: String) throws -> Timestamp {
        try #require(Timestamp(rfc3339: text))
    }

    @Test(arguments: [
        Case(
            span: "1d", zone: "Europe/Zurich", from: "2024-03-30T00:00:00+01:00",
            to: "2024-04-02T00:00:00+02:00", start: "2024-03-29T23:00:00Z", hours: [24, 23, 24]),
        Case(
            span: "1d", zone: "Europe/Zurich", from: "2024-10-26T00:00:00+02:00",
            to: "2024-10-29T00:00:00+01:00", start: "2024-10-25T22:00:00Z", hours: [24, 25, 24]),
        Case(
            span: "1d", zone: "America/New_York", from: "2024-03-09T00:00:00-05:00",
            to: "2024-03-12T00:00:00-04:00", start: "2024-03-09T05:00:00Z", hours: [24, 23, 24]),
        Case(
            span: "1d", zone: "America/New_York", from: "2024-11-02T00:00:00-04:00",
            to: "2024-11-05T00:00:00-05:00", start: "2024-11-02T04:00:00Z", hours: [24, 25, 24]),
        // The day begins at 01:00.
        Case(
            span: "1d", zone: "America/Sao_Paulo", from: "2018-11-03T00:00:00-03:00",
            to: "2018-11-06T00:00:00-02:00", start: "2018-11-03T03:00:00Z", hours: [24, 23, 24]),
        // Wednesday to Wednesday.
        Case(
            span: "1w", zone: "Europe/Zurich", from: "2024-03-27T12:00:00+01:00",
            to: "2024-04-10T00:00:00+02:00", start: "2024-03-27T11:00:00Z",
            hours: [107, 168, 48]),
        Case(
            span: "1mo", zone: "Europe/Zurich", from: "2024-02-01T00:00:00+01:00",
            to: "2024-05-01T00:00:00+02:00", start: "2024-01-31T23:00:00Z",
            hours: [696, 743, 720]),
        Case(
            span: "2d", zone: "UTC", from: "2024-02-01T00:00:00Z", to: "2024-02-06T00:00:00Z",
            start: "2024-02-01T00:00:00Z", hours: [48, 48, 24]),
    ])
    func `windows begin with the first moment of a day, and are adjacent`(example: Case) throws {
        let range = TimeRange(
            from: try Self.time(example.from), to: try Self.time(example.to))
        let calendar = try #require(CalendarWindows(example.span, zone: example.zone))
        let windows = try #require(calendar.divide(range, atMost: 100))
        let start = try Self.time(example.start)
        #expect(windows.first?.from == start)
        #expect(windows.last?.to == range.to)
        #expect(zip(windows, windows.dropFirst()).allSatisfy { $0.to == $1.from })
        let hours = windows.map { ($0.to.microseconds - $0.from.microseconds) / 3_600_000_000 }
        #expect(hours == example.hours)
        #expect(calendar.divide(range, atMost: windows.count) == windows)
        #expect(calendar.divide(range, atMost: windows.count - 1) == nil)
    }

    @Test func `open ends become those of whole days`() throws {
        let calendar = try #require(CalendarWindows("1d", zone: "Europe/Zurich"))
        let extent = TimeRange(
            from: try Self.time("2024-03-30T10:00:00Z"), to: try Self.time("2024-03-31T10:00:00Z"))
        let days = TimeRange(
            from: try Self.time("2024-03-29T23:00:00Z"), to: try Self.time("2024-03-31T22:00:00Z"))
        #expect(calendar.closing(.all, with: extent) == days)
        #expect(calendar.closing(extent, with: .all) == extent)
        #expect(calendar.divide(.all, atMost: 10_000) == nil)
        #expect(calendar.divide(TimeRange(from: extent.from, to: extent.from), atMost: 1) == [])
    }

    @Test(arguments: ["1h", "0d", "1001d", "d", "1D", "1.5d", "-1d", "1m", "1y", "", " 1d"])
    func `other texts are not windows of the calendar`(span: String) {
        #expect(!CalendarWindows.accepts(span))
        #expect(CalendarWindows(span, zone: "UTC") == nil)
    }

    @Test(arguments: ["Nowhere/At_All", "", "Europe/Zürich"])
    func `unknown zones are refused`(zone: String) {
        #expect(CalendarWindows("1d", zone: zone) == nil)
    }
}
