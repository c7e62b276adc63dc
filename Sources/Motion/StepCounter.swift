public import Samples

/// Counts steps in acceleration, whichever way the sensor is held.
///
/// Every second it looks at the last four of them: see ``Gait`` for the method. Steps count once
/// four looks on end saw a walk, then also those that led there, so that a bump, a hand that
/// gestures and a car count none, as in N. Zhao, "Full-Featured Pedometer Design
/// Realized with 3-Axis Digital Accelerometer", Analog Dialogue 44 (2010). A walk of less than about
/// six seconds is therefore not seen. Made for 25 to 200 samples a second.
public struct StepCounter: Sendable {
    private static let windowCells = 120
    private static let hopCells = 20
    private static let looksToBelieve = 4

    /// Since it was made.
    public private(set) var steps = 0
    /// Steps a minute in the last seconds; `nil` while nobody walks.
    public private(set) var cadence: Double?
    public private(set) var isPaused = false
    public private(set) var dropped = 0

    private var grid = EvenGrid(width: 50_000, longestGap: 10)
    private var cells: [Double] = []
    /// The number of the first cell, from the start of the walk.
    private var first = 0
    /// The place of the last peak that was counted.
    private var lastPeak: Int?
    /// Peaks that may be steps, and how many looks on end saw a walk.
    private var candidates: [Gait.Peak] = []
    private var looks = 0
    /// What the walk was like when it was last clear: cells from step to step, and how high a step is.
    private var usual: (period: Double, height: Double) = (0, 0)

    public init() {}

    /// Takes a measurement.
    ///
    /// - Returns: how many steps were counted by it; they may be up to seven seconds old.
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
            for cell in complete {
                cells.append(cell)
                guard cells.count % Self.hopCells == 0 else { continue }
                counted += look()
                guard cells.count == Self.windowCells else { continue }
                cells.removeFirst(Self.hopCells)
                first += Self.hopCells
            }
            return counted
        }
    }

    /// Counts the steps that are seen so far, and none from now on.
    ///
    /// - Returns: how many steps were counted by it.
    @discardableResult
    public mutating func pause() -> Int {
        isPaused = true
        return flush()
    }

    /// Goes on counting.
    public mutating func resume() {
        guard isPaused else { return }
        isPaused = false
        grid = EvenGrid(width: grid.width, longestGap: 10)
    }

    /// Counts what is left at the end of a walk, and begins anew.
    private mutating func flush() -> Int {
        let counted = look()
        cells.removeAll(keepingCapacity: true)
        (first, lastPeak) = (0, nil)
        doubt()
        return counted
    }

    private mutating func doubt() {
        candidates.removeAll(keepingCapacity: true)
        (looks, cadence, usual) = (0, nil, (0, 0))
    }

    private mutating func look() -> Int {
        guard let gait = Gait(cells), gait.isClear || looks >= Self.looksToBelieve else {
            doubt()
            return 0
        }
        if gait.isClear { usual = (gait.period, max(gait.height, 0.75 * usual.height)) }
        // Where little of a walk is left, noise has peaks of a period of its own.
        let period = max(gait.period, 0.8 * usual.period)
        var latest = candidates.last?.place ?? lastPeak ?? .min / 2
        // A peak at the very end may rise further.
        for peak in gait.peaks where peak.place < cells.count - 3 {
            let place = first + peak.place
            guard Double(place - latest) >= 0.6 * period else { continue }
            candidates.append(.init(place: place, height: peak.height))
            latest = place
        }
        looks = min(looks + 1, Self.looksToBelieve)
        guard looks == Self.looksToBelieve else { return 0 }
        cadence = 60 * Gait.rate / gait.period
        return count(period)
    }

    /// Counts the candidates that are as high as steps are.
    private mutating func count(_ period: Double) -> Int {
        var counted = 0
        for candidate in candidates where candidate.height >= 0.5 * usual.height {
            let gap = lastPeak.map { Double(candidate.place - $0) / period } ?? 1
            lastPeak = candidate.place
            // One peak that drowned in noise is made up for.
            counted += (1.6...2.4).contains(gap) ? 2 : 1
        }
        candidates.removeAll(keepingCapacity: true)
        steps += counted
        return counted
    }
}

extension StepCounter: DerivedSensor {
    public static let inputs = Acceleration.fields
    public static let outputs = [Field("steps", unit: "{step}", kind: .integer)]

    /// - Returns: the steps since it was made, whenever there are more.
    public mutating func take(_ sample: Sample) -> Sample? {
        guard let acceleration = Acceleration(sample) else {
            dropped += 1
            return nil
        }
        guard take(acceleration, at: sample.time) > 0 else { return nil }
        return Sample(time: sample.time, values: [.integer(Int64(steps))])
    }
}
