/// Tells a number only when it differs by more than a margin from the one told before.
///
/// The number before is the one that was *told* and not the one measured last, or a slow drift would
/// never be told.
public struct Hysteresis: Hashable, Sendable {
    /// Which way a number has to move.
    public enum Direction: String, Hashable, Sendable, CaseIterable, Codable {
        case falling, rising, either
    }

    /// How far; a number that is exactly as far is not told.
    public let margin: Double
    public let direction: Direction
    public private(set) var told: Double?

    /// - Parameter margin: a negative one counts as none.
    public init(margin: Double, direction: Direction = .either) {
        self.margin = max(0, margin)
        self.direction = direction
    }

    /// Whether to tell this number; the first is told, one that is not finite never is.
    public mutating func tells(_ number: Double) -> Bool {
        guard number.isFinite else { return false }
        if let told {
            let falls = number + margin < told
            let rises = number - margin > told
            guard direction != .rising && falls || direction != .falling && rises else {
                return false
            }
        }
        told = number
        return true
    }

    /// Forgets what was told, so that the next number is.
    public mutating func reset() {
        told = nil
    }
}
