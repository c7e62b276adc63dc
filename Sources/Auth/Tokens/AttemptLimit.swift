import Samples

/// Counts wrong tokens, and says when so many came that the next ones are put off.
struct AttemptLimit: Sendable {
    static let attempts = 10
    static let window = Duration.seconds(60)

    /// What becomes of a wrong token.
    enum Outcome: Hashable {
        /// It is refused as what it is.
        case counted
        /// It is put off; `isFirst` for the first since the limit was reached.
        case heldOff(Duration, isFirst: Bool)
    }

    private var times: [Timestamp] = []
    private var isHolding = false

    /// Notes a wrong token.
    ///
    /// Those that are put off do not make the wait longer.
    mutating func count(at now: Timestamp) -> Outcome {
        let start = now.advanced(byMicroseconds: -Self.window.wholeMicroseconds)
        // A clock that was set back leaves times in the future, which must hold nobody off.
        times = times.filter { start < $0 && $0 <= now }
        guard times.count >= Self.attempts, let oldest = times.first else {
            times.append(now)
            isHolding = false
            return .counted
        }
        let isFirst = !isHolding
        isHolding = true
        return .heldOff(.microseconds(oldest.microseconds - start.microseconds), isFirst: isFirst)
    }
}
