public import Samples

/// Computes the samples of one sensor from the samples of another, one at a time and in bounded
/// memory.
///
/// A value type without clock, threads or files: all times come from the samples.
///
/// ```swift
/// var counter = StepCounter()
/// let steps = samples.compactMap { counter.take($0) }
/// ```
public protocol DerivedSensor: Sendable {
    /// The fields that input samples must have, in this order.
    static var inputs: [Field] { get }
    /// The fields of the samples it computes.
    static var outputs: [Field] { get }
    /// The longest interval between input samples from which it computes correct samples; `nil` if
    /// every interval is short enough.
    static var longestInterval: Duration? { get }
    /// How many samples were dropped because a number was missing or they came too late.
    var dropped: Int { get }

    /// Takes a sample with the fields of ``inputs``.
    ///
    /// - Returns: `nil` when the result has not changed.
    mutating func take(_ sample: Sample) -> Sample?
}

extension DerivedSensor {
    public static var longestInterval: Duration? { nil }
}

extension Sample {
    /// The first numbers of the sample; `nil` when one is missing or not finite.
    func numbers(_ count: Int) -> [Double]? {
        guard values.count >= count else { return nil }
        var numbers: [Double] = []
        for value in values.prefix(count) {
            guard let number = value.double, number.isFinite else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}

/// An acceleration including gravity, in m/s².
public struct Acceleration: Hashable, Sendable {
    /// Along the sensor's first axis.
    public let x: Double
    /// Along the second axis.
    public let y: Double
    /// Along the third axis.
    public let z: Double

    /// The longest interval between samples from which motion is recognised: at 10 Hz most steps of recorded
    /// walks with the phone in a pocket are missed.
    static let longestInterval = Duration.milliseconds(40)
    /// The fields of an accelerometer.
    public static let fields = ["x", "y", "z"].map { Field($0, unit: "m/s2") }

    /// Creates an acceleration.
    ///
    /// - Returns: `nil` when a component is not finite or beyond 1000 m/s², which no sensor measures.
    public init?(x: Double, y: Double, z: Double) {
        guard [x, y, z].allSatisfy({ (-1000...1000).contains($0) }) else { return nil }
        (self.x, self.y, self.z) = (x, y, z)
    }

    /// - Returns: `nil` when the sample lacks one of ``fields``.
    init?(_ sample: Sample) {
        guard let numbers = sample.numbers(3) else { return nil }
        self.init(x: numbers[0], y: numbers[1], z: numbers[2])
    }

    /// The three components.
    var vector: SIMD3<Double> { SIMD3(x, y, z) }

    /// The magnitude, which does not depend on the sensor's orientation.
    public var magnitude: Double { (x * x + y * y + z * z).squareRoot() }
}
