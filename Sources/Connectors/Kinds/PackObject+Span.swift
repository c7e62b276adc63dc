import Samples

extension PackObject {
    /// A span such as `10s`, in a range; `nil` where the key is not there.
    mutating func span(
        _ key: String, in range: ClosedRange<Duration>
    ) throws(PackError) -> Duration? {
        guard let text = try text(key) else { return nil }
        guard let span = Duration(span: text), range.contains(span) else {
            throw wrong(
                key,
                "is no span from \(range.lowerBound.span) to \(range.upperBound.span), such as 10s"
            )
        }
        return span
    }
}
