import Samples

/// Sizes and ages as a person writes them.
enum StorageInput {
    private static let units: [String: Int64] = [
        "": 1, "b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000,
        "tb": 1_000_000_000_000, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
    ]
    private static let days: [Character: Int64] = ["w": 7, "y": 365]

    /// Reads a whole number and a unit, such as `500MB` or `10GiB`; without one it counts bytes.
    ///
    /// - Returns: `nil` for anything else.
    static func bytes(_ text: String) -> Int64? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit = text.dropFirst(digits.count).lowercased()
        guard let count = Int64(digits), let size = units[unit] else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
        return overflow ? nil : bytes
    }

    /// Reads a span such as `30d`, or weeks and years of 365 days such as `5y`.
    ///
    /// - Returns: the same as a span of the API; `nil` for anything else.
    static func age(_ text: String) -> String? {
        if let span = Duration(span: text) { return span.span }
        guard let unit = text.last, let days = days[unit], let count = Int64(text.dropLast()),
            count >= 0, count <= 1000
        else { return nil }
        return Duration(span: "\(count * days)d")?.span
    }
}
