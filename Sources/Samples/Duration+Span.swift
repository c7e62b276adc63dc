extension Duration {
    /// Parses a whole number and a unit: `us`, `ms`, `s`, `m`, `h`, `d` or `w`, such as `10m`.
    ///
    /// - Returns: `nil` for anything else, and for more than a thousand years.
    public init?(span: String) {
        let digits = span.prefix { ("0"..."9").contains($0) }
        guard let count = Int64(digits),
            let unit = Self.spanUnits[String(span.dropFirst(digits.count))]
        else { return nil }
        let (microseconds, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow, microseconds <= 1000 * 366 * 86_400_000_000 else { return nil }
        self = .microseconds(microseconds)
    }

    /// The shortest text that ``init(span:)`` parses to this duration, in whole microseconds.
    ///
    /// Only durations from zero to a thousand years can be parsed again.
    public var span: String {
        let microseconds = wholeMicroseconds
        for unit in ["d", "h", "m", "s", "ms"] {
            guard let size = Self.spanUnits[unit] else { continue }
            if microseconds != 0, microseconds % size == 0 {
                return "\(microseconds / size)\(unit)"
            }
        }
        return "\(microseconds)us"
    }

    /// Whole microseconds, rounded towards zero and clamped to `Int64`.
    public var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        let scaled = seconds.multipliedReportingOverflow(by: 1_000_000)
        let sum = scaled.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        guard !scaled.overflow, !sum.overflow else { return seconds < 0 ? .min : .max }
        return sum.partialValue
    }

    /// Whole milliseconds, rounded towards zero and clamped.
    public var wholeMilliseconds: Int64 { wholeMicroseconds / 1000 }

    private static let spanUnits: [String: Int64] = [
        "us": 1, "ms": 1000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000,
        "d": 86_400_000_000, "w": 7 * 86_400_000_000,
    ]
}
