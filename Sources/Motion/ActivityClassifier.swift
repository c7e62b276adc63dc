public import Samples

/// Tells what a person is doing from acceleration, and from the speed where there is one.
///
/// Every two seconds it looks at the last six; see ``MotionFeatures`` for what it looks at. A phone or
/// a watch is carried; a car is told from a bicycle with confidence only where the speed is known.
public struct ActivityClassifier: Sendable {
    private static let windowCells = 120
    private static let leastCells = 80
    private static let hopCells = 40
    /// Microseconds for which a speed holds.
    private static let speedHolds: Int64 = 10_000_000

    /// The latest.
    public private(set) var reading: ActivityReading?
    public private(set) var dropped = 0

    private var grid = EvenGrid(width: 50_000, longestGap: 10)
    private var cells: [Double] = []
    /// Squares of what is left of each number beside the last cell, and how many.
    private var rest = 0.0
    private var count = 0
    private var speed: (metresPerSecond: Double, time: Timestamp)?

    public init() {}

    /// Notes how fast the person moves over ground, which counts for the next ten seconds.
    public mutating func take(speed metresPerSecond: Double, at time: Timestamp) {
        guard metresPerSecond.isFinite, metresPerSecond >= 0 else {
            dropped += 1
            return
        }
        speed = (metresPerSecond, time)
    }

    /// Takes a measurement.
    ///
    /// - Returns: what the last six seconds were, each two seconds; `nil` otherwise.
    public mutating func take(
        _ acceleration: Acceleration, at time: Timestamp
    ) -> ActivityReading? {
        let magnitude = acceleration.magnitude
        switch grid.take(magnitude, at: time) {
        case .late: dropped += 1
        case .restarted: forget()
        case .cells(let complete):
            if let center = grid.mean {
                rest += (magnitude - center) * (magnitude - center)
                count += 1
            }
            var found: ActivityReading?
            for cell in complete {
                cells.append(cell)
                guard cells.count >= Self.leastCells, cells.count % Self.hopCells == 0 else {
                    continue
                }
                found = look(at: time)
                guard cells.count == Self.windowCells else { continue }
                cells.removeFirst(Self.hopCells)
            }
            return found
        }
        return nil
    }

    private mutating func forget() {
        cells.removeAll(keepingCapacity: true)
        (rest, count, reading) = (0, 0, nil)
    }

    private mutating func look(at time: Timestamp) -> ActivityReading {
        let straight = Gait.straightened(cells)
        let sway = straight.reduce(0) { $0 + $1 * $1 } / Double(straight.count)
        let gait = Gait(cells)
        let features = MotionFeatures(
            sway: sway.squareRoot(),
            roughness: count > 0 ? (rest / Double(count)).squareRoot() : 0,
            steps: gait.map { .init(rate: Gait.rate / $0.period, regularity: $0.likeness) },
            speed: speed(at: time))
        (rest, count) = (0, 0)
        let found = ActivityReading(fits: features.fits)
        reading = found
        return found
    }

    private func speed(at time: Timestamp) -> Double? {
        guard let speed, speed.time.advanced(byMicroseconds: Self.speedHolds) >= time else {
            return nil
        }
        return speed.metresPerSecond
    }
}

extension ActivityClassifier: DerivedSensor {
    public static let inputs = Acceleration.fields
    public static let outputs = [
        Field("activity", kind: .state), Field("confidence", kind: .state),
    ]

    public mutating func take(_ sample: Sample) -> Sample? {
        guard let acceleration = Acceleration(sample) else {
            dropped += 1
            return nil
        }
        guard let reading = take(acceleration, at: sample.time) else { return nil }
        return Sample(
            time: sample.time,
            values: [.text(reading.activity.rawValue), .text(reading.confidence.rawValue)])
    }
}
