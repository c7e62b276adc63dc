extension Duration {
    /// Reads a whole number and a unit: `us`, `ms`, `s`, `m`, `h` or `d`, such as `10m`.
    ///
    /// - Returns: `nil` for anything else, also for more than a thousand years.
    public init?(span: String) {
        let digits = span.prefix { ("0"..."9").contains($0) }
        guard let count = Int64(digits),
            let unit = Self.spanUnits[String(span.dropFirst(digits.count))]
        else { return nil }
        let (microseconds, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow, microseconds <= 1000 * 366 * 86_400_000_000 else { return nil }
        self = .microseconds(microseconds)
    }

    /// The shortest span that reads back as this duration, whole microseconds.
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

    /// Whole microseconds, rounded towards zero, held at the ends of `Int64`.
    public var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000).partialValue
    }

    private static let spanUnits: [String: Int64] = [
        "us": 1, "ms": 1000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000,
        "d": 86_400_000_000,
    ]
}
