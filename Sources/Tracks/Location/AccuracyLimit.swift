/// How well a place has to be known in order to count.
public struct AccuracyLimit: Hashable, Sendable {
    /// Metres that are just good enough.
    public let metres: Double

    /// For what is carried in a hand or a car: 100 m.
    public static let coarse = AccuracyLimit(metres: 100)
    /// For what is worn on a wrist: 10 m.
    public static let fine = AccuracyLimit(metres: 10)

    public init(metres: Double) {
        self.metres = metres
    }

    /// Whether a fix is good enough; one that does not say how accurate it is, is.
    public func accepts(_ fix: Fix) -> Bool {
        fix.accuracy.map { $0 <= metres } ?? true
    }
}
