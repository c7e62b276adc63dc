public import Samples

/// A reading, and the sensor that it is meant for.
public struct PushedReading: Hashable, Sendable {
    public let sensor: SensorID
    public let reading: Reading
    /// The line that it stood in, counted from 1; `nil` where there are no lines.
    public let line: Int?

    public init(_ sensor: SensorID, _ reading: Reading, line: Int? = nil) {
        self.sensor = sensor
        self.reading = reading
        self.line = line
    }
}

/// What was in a body that an app pushed.
public struct PushedContent: Hashable, Sendable {
    /// In the order in which they were sent.
    public var readings: [PushedReading] = []
    /// How many readings were left out, by reason.
    public var dropped: [DropReason: Int] = [:]

    /// Nothing.
    public init() {}

    mutating func drop(_ reason: DropReason) {
        dropped[reason, default: 0] += 1
    }
}
