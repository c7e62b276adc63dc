public import Samples

/// A number and when it was read.
public struct TimedValue: Hashable, Sendable {
    public let time: Timestamp
    public let value: Double

    public init(time: Timestamp, value: Double) {
        self.time = time
        self.value = value
    }
}
