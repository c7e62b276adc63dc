import Foundation
import Samples

/// Times as people write them in options and answers, in the local time zone.
///
/// A day is a day of the calendar: 23 to 25 hours where the clocks change, and `-1d` is this time
/// yesterday.
struct TimeInput {
    let now: Timestamp
    /// Gregorian, in the time zone of the person.
    var calendar = Self.local

    init(now: Timestamp = .now(), calendar: Calendar = Self.local) {
        (self.now, self.calendar) = (now, calendar)
    }

    private static var local: Calendar { Calendar(identifier: .gregorian) }

    /// A time for a parameter of the API.
    ///
    /// Days, local times and numbers of days are converted; any other text is passed on unchanged, and the
    /// host parses it.
    ///
    /// - Parameter isEnd: whether the time is the end of a range; a day then means the end of that day.
    func parameter(_ text: String?, isEnd: Bool = false) -> String? {
        guard let text else { return nil }
        let moment = text.hasPrefix("-") ? days(text).flatMap { shifted(by: -$0) } : nil
        return (moment ?? time(text, isEnd: isEnd))?.description ?? text
    }

    /// A day (`2024-06-01`, `today`, `yesterday`) or a local time (`2024-06-01 18:30`).
    ///
    /// - Parameter isEnd: whether a day means its end.
    /// - Returns: `nil` for anything else, and for times that do not exist.
    func time(_ text: String, isEnd: Bool = false) -> Timestamp? {
        let names = ["today": 0, "yesterday": -1]
        if let offset = names[text.lowercased()] {
            return startOfDay(offset + (isEnd ? 1 : 0), after: date(now)).map(Self.timestamp)
        }
        let form = /([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?)?/
        guard let match = text.wholeMatch(of: form)?.output, let year = Int(match.1),
            let month = Int(match.2), let day = Int(match.3)
        else { return nil }
        var parts = DateComponents(year: year, month: month, day: day)
        (parts.hour, parts.minute) = (match.4.flatMap { Int($0) }, match.5.flatMap { Int($0) })
        parts.second = match.6.flatMap { Int($0) }
        guard parts.isValidDate(in: calendar), let start = calendar.date(from: parts) else {
            return nil
        }
        guard match.4 == nil else { return Self.timestamp(start) }
        return startOfDay(isEnd ? 1 : 0, after: start).map(Self.timestamp)
    }

    /// The beginning of the day that is `number` days after the day of `date`.
    ///
    /// Where clocks change at midnight, a day can begin at 01:00.
    private func startOfDay(_ number: Int, after date: Date) -> Date? {
        calendar.date(byAdding: .day, value: number, to: date).map { calendar.startOfDay(for: $0) }
    }

    /// The time after a duration; days and weeks are those of the calendar.
    func after(_ span: String) -> Timestamp? {
        if let days = days(span) { return shifted(by: days) }
        return Duration(span: span).map { now.advanced(byMicroseconds: $0.wholeMicroseconds) }
    }

    /// The time before now by a duration; days and weeks are those of the calendar.
    func before(_ span: String) -> Timestamp? {
        if let days = days(span) { return shifted(by: -days) }
        return Duration(span: span).map { now.advanced(byMicroseconds: -$0.wholeMicroseconds) }
    }

    // MARK: - Private

    /// The days of `3d`, `-3d` or `2w`.
    private func days(_ text: String) -> Int? {
        guard let match = text.wholeMatch(of: /-?([0-9]{1,6})([dw])/)?.output,
            let count = Int(match.1)
        else { return nil }
        let days = match.2 == "w" ? 7 * count : count
        return days <= 366_000 ? days : nil
    }

    private func shifted(by days: Int) -> Timestamp? {
        calendar.date(byAdding: .day, value: days, to: date(now)).map(Self.timestamp)
    }

    private func date(_ time: Timestamp) -> Date {
        Date(timeIntervalSince1970: Double(time.microseconds) / 1_000_000)
    }

    private static func timestamp(_ date: Date) -> Timestamp {
        Timestamp(
            microseconds: Int64((date.timeIntervalSince1970 * 1_000_000).rounded()))
    }
}
