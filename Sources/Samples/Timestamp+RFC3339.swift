extension Timestamp {
    /// Reads RFC 3339 with any offset and fraction, such as `2026-03-01T13:00:00.25+01:00`.
    ///
    /// What is finer than a microsecond is cut off.
    /// - Returns: `nil` for anything else, also for days and times that there are not and for leap
    ///   seconds.
    public init?(rfc3339 text: String) {
        let form =
            /([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9:]{8})(?:\.([0-9]+))?([Zz]|[+\-][0-9:]{5})/
        guard text.utf8.count <= 64, let found = text.wholeMatch(of: form),
            let year = Int64(found.1), let month = Int64(found.2), let day = Int64(found.3),
            let seconds = Self.seconds(found.4), let offset = Self.offset(found.6)
        else { return nil }
        let days = CivilDate.daysSince1970(year: year, month: month, day: day)
        let date = CivilDate(daysSince1970: days)
        guard date.year == year, date.month == month, date.day == day else { return nil }
        let digits = (found.5 ?? "").prefix(6)
        let padded = digits + String(repeating: "0", count: 6 - digits.count)
        guard let fraction = Int64(padded) else { return nil }
        self.init(microseconds: (days * 86_400 + seconds - offset) * 1_000_000 + fraction)
    }

    /// The seconds of `hh:mm:ss` or `hh:mm`.
    private static func seconds(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count == 2 ? Int64($0) : nil }
        guard numbers.count == parts.count, numbers[0] < 24,
            numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        return zip(numbers, [3600, 60, 1]).map { $0 * $1 }.reduce(0, +)
    }

    private static func offset(_ text: Substring) -> Int64? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return 0 }
        return seconds(text.dropFirst()).map { sign == "-" ? -$0 : $0 }
    }
}
