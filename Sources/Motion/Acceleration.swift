public import Samples

/// What an accelerometer measures, gravity included, in m/s².
public struct Acceleration: Hashable, Sendable {
    public let x: Double
    public let y: Double
    public let z: Double

    /// The fields of a sensor of it.
    public static let fields = ["x", "y", "z"].map { Field($0, unit: "m/s2") }

    /// - Returns: `nil` when one is not finite or beyond 1000 m/s², which no such sensor measures.
    public init?(x: Double, y: Double, z: Double) {
        // NaN is in no range.
        guard [x, y, z].allSatisfy({ (-1000...1000).contains($0) }) else { return nil }
        (self.x, self.y, self.z) = (x, y, z)
    }

    /// - Returns: `nil` when the sample lacks one of ``fields``.
    init?(_ sample: Sample) {
        guard let numbers = sample.numbers(3) else { return nil }
        self.init(x: numbers[0], y: numbers[1], z: numbers[2])
    }

    /// How strong it is, whichever way the sensor is held.
    public var magnitude: Double { (x * x + y * y + z * z).squareRoot() }
}
