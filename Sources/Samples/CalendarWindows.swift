import Foundation

/// Windows of the calendar in a time zone: days, weeks that begin on Monday, or months.
///
/// A day lasts from its first moment to the first moment of the next day: 23 to 25 hours where
/// clocks change. Where they change at midnight, its first moment may be 01:00.
///
/// ```swift
/// let days = CalendarWindows("1d", zone: "Europe/Zurich")
/// let windows = days?.divide(range, atMost: 1000)
/// ```
public struct CalendarWindows: Hashable, Sendable {
    private enum Unit: String {
        case day = "d"
        case week = "w"
        case month = "mo"
    }

    private static let shortestDay: Int64 = 20 * 3_600_000_000
    private static let longest = 1000

    private let unit: Unit
    private let count: Int
    /// Gregorian, in the time zone.
    private let calendar: Calendar

    /// - Parameters:
    ///   - span: 1 to 1000 days, weeks or months, such as `1d`, `2w` or `1mo`.
    ///   - zone: the IANA name of a time zone, such as `Europe/Zurich`.
    /// - Returns: `nil` for another text or an unknown zone.
    public init?(_ span: String, zone: String) {
        guard let (count, unit) = Self.parse(span), let zone = TimeZone(identifier: zone) else {
            return nil
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        (self.count, self.unit, self.calendar) = (count, unit, calendar)
    }

    /// Whether a text is a number of days, weeks or months.
    public static func accepts(_ span: String) -> Bool { parse(span) != nil }

    /// The windows that a range is divided into, in order.
    ///
    /// The first window begins with the day, week or month that contains the beginning of the
    /// range; the first and the last window are cut at the ends of the range.
    ///
    /// - Returns: `nil` if there are more than `limit`.
    public func divide(_ range: TimeRange, atMost limit: Int) -> [TimeRange]? {
        guard !range.isEmpty else { return [] }
        let (width, overflow) = range.to.microseconds.subtractingReportingOverflow(
            range.from.microseconds)
        // An estimate first, so that not all windows of an endless range are computed.
        guard !overflow, width / Self.shortestDay / Int64(count) / days <= Int64(limit) * 2 else {
            return nil
        }
        let first = noon(of: range.from)
        var windows: [TimeRange] = []
        var start = range.from
        var number = 0
        while start < range.to {
            number += count
            guard windows.count < limit, let next = moment(number, after: first), next > start
            else { return nil }
            let end = min(next, range.to)
            windows.append(TimeRange(from: start, to: end))
            start = end
        }
        return windows
    }

    /// The range without open ends.
    ///
    /// - Parameter extent: a range with both ends. They replace the open ends, moved outwards to
    ///   whole days, weeks or months.
    public func closing(_ range: TimeRange, with extent: TimeRange) -> TimeRange {
        let from =
            range.from == .distantPast
            ? moment(0, after: noon(of: extent.from)) ?? extent.from : range.from
        guard range.to == .distantFuture else { return TimeRange(from: from, to: range.to) }
        let last = extent.to.advanced(byMicroseconds: -1)
        return TimeRange(from: from, to: max(from, moment(1, after: noon(of: last)) ?? extent.to))
    }

    // MARK: - Private

    /// The minimum number of days in one unit.
    private var days: Int64 {
        switch unit {
        case .day: 1
        case .week: 7
        case .month: 28
        }
    }

    private static func parse(_ span: String) -> (Int, Unit)? {
        let digits = span.prefix { ("0"..."9").contains($0) }
        guard let count = Int(digits), (1...longest).contains(count),
            let unit = Unit(rawValue: String(span.dropFirst(digits.count)))
        else { return nil }
        return (count, unit)
    }

    /// Noon of the first day of the unit that contains a moment: a time that every day has.
    private func noon(of time: Timestamp) -> Date {
        let date = Date(timeIntervalSince1970: Double(time.microseconds) / 1_000_000)
        var parts = calendar.dateComponents([.era, .year, .month, .day], from: date)
        if unit == .month { parts.day = 1 }
        parts.hour = 12
        let noon = calendar.date(from: parts) ?? date
        guard unit == .week else { return noon }
        // Sunday is 1.
        let back = (calendar.component(.weekday, from: noon) + 5) % 7
        return calendar.date(byAdding: .day, value: -back, to: noon) ?? noon
    }

    /// The first moment of the day, week or month that is `number` units after the one that
    /// contains `noon`.
    private func moment(_ number: Int, after noon: Date) -> Timestamp? {
        let date =
            switch unit {
            case .day: calendar.date(byAdding: .day, value: number, to: noon)
            case .week: calendar.date(byAdding: .day, value: 7 * number, to: noon)
            case .month: calendar.date(byAdding: .month, value: number, to: noon)
            }
        return date.map { calendar.startOfDay(for: $0).timeIntervalSince1970 }
            .map { Timestamp(microseconds: Int64(($0 * 1_000_000).rounded())) }
    }
}
