public import Samples

/// Counts steps in acceleration, wherever the sensor is carried, with or without gravity.
///
/// It looks for the rhythm of strides in the acceleration as a vector, with ``WalkTracker``, so it depends
/// neither on the sensor's orientation nor on gravity. Bumps, gestures and vehicles have no constant
/// rhythm and add no steps: N. Zhao, "Full-Featured Pedometer Design Realized with 3-Axis Digital
/// Accelerometer", Analog Dialogue 44 (2010). Walks of less than about seven seconds can be missed. The
/// rate should be 25 to 200 samples per second.
///
/// ```swift
/// var counter = StepCounter()
/// for (acceleration, time) in measurements { counter.take(acceleration, at: time) }
/// print(counter.steps)
/// ```
public struct StepCounter: Sendable {
    /// Half a second of empty cells is interpolated.
    private static let grid = EvenGrid(width: 50_000, longestGap: 10)

    /// Steps since the counter was created.
    public private(set) var steps = 0
    /// Whether counting is paused.
    public private(set) var isPaused = false
    /// The number of dropped samples.
    public private(set) var dropped = 0

    private var grid = Self.grid
    private var tracker = WalkTracker()

    /// Creates a counter at zero.
    public init() {}

    /// Steps per minute in the last seconds; `nil` without a rhythm.
    public var cadence: Double? { tracker.stepRate.map { 60 * $0 } }

    /// Takes a measurement.
    ///
    /// - Returns: the newly counted steps; they can be seven seconds old.
    @discardableResult
    public mutating func take(_ acceleration: Acceleration, at time: Timestamp) -> Int {
        guard !isPaused else { return 0 }
        switch grid.take(acceleration.vector, at: time) {
        case .late: dropped += 1
        case .restarted: tracker.finish()
        case .cells(let complete): for cell in complete { tracker.take(cell) }
        }
        return count()
    }

    /// Counts the pending steps and stops counting.
    ///
    /// - Returns: the newly counted steps.
    @discardableResult
    public mutating func pause() -> Int {
        isPaused = true
        tracker.finish()
        return count()
    }

    /// Continues counting.
    public mutating func resume() {
        guard isPaused else { return }
        isPaused = false
        grid = Self.grid
    }

    private mutating func count() -> Int {
        let counted = max(0, Int(tracker.steps) - steps)
        steps += counted
        return counted
    }
}

extension StepCounter: DerivedSensor {
    public static let inputs = Acceleration.fields
    public static let longestInterval: Duration? = Acceleration.longestInterval
    public static let outputs = [Field("steps", unit: "{step}", kind: .integer)]

    /// - Returns: the total, whenever it grows.
    public mutating func take(_ sample: Sample) -> Sample? {
        guard let acceleration = Acceleration(sample) else {
            dropped += 1
            return nil
        }
        guard take(acceleration, at: sample.time) > 0 else { return nil }
        return Sample(time: sample.time, values: [.integer(Int64(steps))])
    }
}
