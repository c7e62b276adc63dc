/// How long something took, for a person: `1 hrs 2 mins 3 secs`, below an hour `2 min 3 secs`.
public struct ElapsedText: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Parameter elapsed: cut to whole seconds; a negative time counts as none.
    public init(_ elapsed: Duration) {
        let seconds = max(0, elapsed.components.seconds)
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        description =
            hours > 0
            ? "\(hours) hrs \(minutes) mins \(seconds % 60) secs"
            : "\(minutes) min \(seconds % 60) secs"
    }
}
