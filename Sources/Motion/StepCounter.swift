public import Samples

/// Counts steps in acceleration, independently of the sensor's orientation.
///
/// Every second it evaluates the last four to six seconds with ``Gait``. After four consecutive
/// evaluations that found a rhythm, it starts to count, and adds the steps found in these four. Bumps,
/// gestures and vehicles therefore add no steps: N. Zhao, "Full-Featured Pedometer Design Realized with
/// 3-Axis Digital Accelerometer", Analog Dialogue 44 (2010). Walks of less than about seven seconds can
/// be missed. The rate should be 25 to 200 samples per second.
///
/// ```swift
/// var counter = StepCounter()
/// for (acceleration, time) in measurements { counter.take(acceleration, at: time) }
/// print(counter.steps)
/// ```
public struct StepCounter: Sendable {
    private static let windowLength = 120
    private static let hopLength = 20
    private static let evaluationsToConfirm = 4

    /// Steps since the counter was created.
    public private(set) var steps = 0
    /// Steps per minute in the last seconds; `nil` without a rhythm.
    public private(set) var cadence: Double?
    /// Whether counting is paused.
    public private(set) var isPaused = false
    /// The number of dropped samples.
    public private(set) var dropped = 0

    private var grid = EvenGrid(width: 50_000, longestGap: 10)
    private var magnitudes: [Double] = []
    /// The index of the first magnitude since the start of the walk.
    private var first = 0
    /// The index of the last counted peak.
    private var lastPeak: Int?
    /// Peaks that may be steps, and the number of consecutive evaluations that found a rhythm.
    private var candidates: [Gait.Peak] = []
    private var evaluations = 0
    /// The last clear rhythm: magnitudes between steps, and the height of a step.
    private var usual: (period: Double, height: Double) = (0, 0)

    /// Creates a counter at zero.
    public init() {}

    /// Takes a measurement.
    ///
    /// - Returns: the newly counted steps; they can be nine seconds old.
    @discardableResult
    public mutating func take(_ acceleration: Acceleration, at time: Timestamp) -> Int {
        guard !isPaused else { return 0 }
        switch grid.take(acceleration.magnitude, at: time) {
        case .late:
            dropped += 1
            return 0
        case .restarted:
            return flush()
        case .cells(let complete):
            var counted = 0
            for magnitude in complete {
                magnitudes.append(magnitude)
                guard magnitudes.count % Self.hopLength == 0 else { continue }
                counted += evaluate()
                guard magnitudes.count == Self.windowLength else { continue }
                magnitudes.removeFirst(Self.hopLength)
                first += Self.hopLength
            }
            return counted
        }
    }

    /// Counts the pending steps and stops counting.
    ///
    /// - Returns: the newly counted steps.
    @discardableResult
    public mutating func pause() -> Int {
        isPaused = true
        return flush()
    }

    /// Continues counting.
    public mutating func resume() {
        guard isPaused else { return }
        isPaused = false
        grid = EvenGrid(width: grid.width, longestGap: 10)
    }

    /// Counts the pending steps at the end of a walk, and restarts.
    private mutating func flush() -> Int {
        let counted = evaluate()
        magnitudes.removeAll(keepingCapacity: true)
        (first, lastPeak) = (0, nil)
        reset()
        return counted
    }

    private mutating func reset() {
        candidates.removeAll(keepingCapacity: true)
        (evaluations, cadence, usual) = (0, nil, (0, 0))
    }

    private mutating func evaluate() -> Int {
        guard let gait = Gait(magnitudes), gait.isClear || evaluations >= Self.evaluationsToConfirm
        else {
            reset()
            return 0
        }
        if gait.isClear { usual = (gait.period, max(gait.height, 0.75 * usual.height)) }
        // At the end of a walk the peaks of noise have another period.
        let period = max(gait.period, 0.8 * usual.period)
        var latest = candidates.last?.index ?? lastPeak ?? .min / 2
        // A peak at the end of the window may still rise.
        for peak in gait.peaks where peak.index < magnitudes.count - 3 {
            let index = first + peak.index
            guard Double(index - latest) >= 0.6 * period else { continue }
            candidates.append(.init(index: index, height: peak.height))
            latest = index
        }
        evaluations = min(evaluations + 1, Self.evaluationsToConfirm)
        guard evaluations == Self.evaluationsToConfirm else { return 0 }
        cadence = 60 * Gait.rate / gait.period
        return count(period)
    }

    /// Counts the candidates with the height of steps.
    private mutating func count(_ period: Double) -> Int {
        var counted = 0
        for candidate in candidates where candidate.height >= 0.5 * usual.height {
            let gap = lastPeak.map { Double(candidate.index - $0) / period } ?? 1
            lastPeak = candidate.index
            // One peak that was lost in noise is added.
            counted += (1.6...2.4).contains(gap) ? 2 : 1
        }
        candidates.removeAll(keepingCapacity: true)
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
