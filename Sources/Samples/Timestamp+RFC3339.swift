extension Timestamp {
    /// Parses RFC 3339 with any offset and fraction, such as `2026-03-01T13:00:00.25+01:00`.
    ///
    /// Digits beyond microseconds are truncated.
    /// - Returns: `nil` for anything else, including dates and times that do not exist and leap seconds.
    public init?(rfc3339 text: String) {
        var text = text
        let time = text.withUTF8 { Timestamp(rfc3339: $0) }
        guard let time else { return nil }
        self = time
    }

    /// Parses RFC 3339 from UTF-8 bytes in place.
    public init?(rfc3339 text: UnsafeBufferPointer<UInt8>) {
        guard (20...64).contains(text.count),
            let year = Self.digits(text, 0, 4), text[4] == UInt8(ascii: "-"),
            let month = Self.digits(text, 5, 2), text[7] == UInt8(ascii: "-"),
            let day = Self.digits(text, 8, 2), text[10] | 0x20 == UInt8(ascii: "t"),
            let seconds = Self.clock(text, 11), text[16] == UInt8(ascii: ":"),
            let rest = Self.digits(text, 17, 2), rest < 60
        else { return nil }
        var next = 19
        var fraction: Int64 = 0
        if text[next] == UInt8(ascii: ".") {
            next += 1
            let first = next
            while next < text.count, let digit = Self.digits(text, next, 1) {
                if next - first < 6 { fraction = fraction * 10 + digit }
                next += 1
            }
            guard next > first else { return nil }
            for _ in 0..<max(0, 6 - (next - first)) { fraction *= 10 }
        }
        guard let offset = Self.offset(text, next) else { return nil }
        let days = CivilDate.daysSince1970(year: year, month: month, day: day)
        let date = CivilDate(daysSince1970: days)
        guard date.year == year, date.month == month, date.day == day else { return nil }
        let whole = days * 86_400 + seconds + rest - offset
        self.init(microseconds: whole * 1_000_000 + fraction)
    }

    /// Parses `count` decimal digits.
    private static func digits(
        _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int
    ) -> Int64? {
        var value: Int64 = 0
        for byte in text[start..<(start + count)] {
            guard byte &- 0x30 <= 9 else { return nil }
            value = value * 10 + Int64(byte &- 0x30)
        }
        return value
    }

    /// Parses `hh:mm` as seconds.
    private static func clock(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int64? {
        guard let hours = digits(text, start, 2), hours < 24,
            text[start + 2] == UInt8(ascii: ":"),
            let minutes = digits(text, start + 3, 2), minutes < 60
        else { return nil }
        return hours * 3600 + minutes * 60
    }

    /// Parses the UTC offset at the end of the text as seconds.
    private static func offset(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int64? {
        guard start < text.count else { return nil }
        switch text[start] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"): return start + 1 == text.count ? 0 : nil
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            guard start + 6 == text.count, let seconds = clock(text, start + 1) else { return nil }
            return text[start] == UInt8(ascii: "-") ? -seconds : seconds
        default: return nil
        }
    }
}

/// A date of the proleptic Gregorian calendar.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64

    init(daysSince1970: Int64) {
        let shifted = daysSince1970 + 719_468
        let (era, dayOfEra) = shifted.floorDivided(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days from 1970-01-01 to a date; a month or day beyond its range continues into the next.
    ///
    /// Source: the same, `days_from_civil`.
    static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = marchYear.floorDivided(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
