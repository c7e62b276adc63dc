/// Tells of a place only when it is far enough from the one told before.
public struct DistanceFilter: Hashable, Sendable {
    /// Metres that are enough.
    public let minimum: Double
    /// The place told last.
    public private(set) var last: Position?

    /// - Parameter minimum: metres; what is not above zero lets every place through.
    public init(minimum: Double = 10) {
        self.minimum = minimum
    }

    /// Whether a place is to be told; it is compared with the last that was, so that slow movement
    /// adds up.
    public mutating func tells(_ position: Position) -> Bool {
        if let last, last.distance(to: position) < minimum { return false }
        last = position
        return true
    }
}
