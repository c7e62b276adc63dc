public import Motion
import Text

/// What a session comes to at a moment; what nothing tells is `nil`.
public struct LiveReading: Hashable, Sendable {
    /// Metres.
    public var distance: Double?
    public var steps: Int?
    /// Floors climbed.
    public var floors: Int?
    /// Seconds for a metre, over the last minute.
    public var pace: Double?
    /// What the person is doing.
    public var activity: ActivityReading?

    public init(
        distance: Double? = nil, steps: Int? = nil, floors: Int? = nil, pace: Double? = nil,
        activity: ActivityReading? = nil
    ) {
        (self.distance, self.steps, self.floors) = (distance, steps, floors)
        (self.pace, self.activity) = (pace, activity)
    }

    /// For a person: `512.30m | 700 steps | 2 floors`, of which what is not known is left out.
    public var text: String {
        [
            distance.map { "\(DecimalText($0, digits: 2, isPadded: true))m" },
            steps.map { "\($0) steps" }, floors.map { "\($0) floors" },
        ].compactMap(\.self).joined(separator: " | ")
    }
}
