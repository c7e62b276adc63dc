import Samples

/// How often samples come: the median of the times between the last of them.
struct SampleRate: Hashable, Sendable {
    private static let count = 32

    /// Samples a second; `nil` before enough of them came.
    private(set) var perSecond: Double?
    private var last: Timestamp?
    private var intervals: [Int64] = []

    /// - Returns: whether what it tells is another by more than a tenth.
    mutating func take(_ time: Timestamp) -> Bool {
        defer { last = time }
        guard let last, time > last else { return false }
        intervals.append(time.microseconds - last.microseconds)
        guard intervals.count == Self.count else { return false }
        let median = intervals.sorted()[Self.count / 2]
        intervals.removeAll(keepingCapacity: true)
        let rate = 1_000_000 / Double(median)
        if let perSecond, abs(rate - perSecond) <= perSecond / 10 { return false }
        perSecond = rate
        return true
    }
}
