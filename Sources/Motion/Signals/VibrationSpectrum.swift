import Glibc
public import Samples
import Statistics

/// How machines, floors and the ground shake: the spectrum of acceleration in windows.
///
/// Each axis is brought to an even grid, and the densities of the three are added, so that it does not
/// matter how the sensor lies. Densities are Welch's, with a Hann window: see `PowerSpectrum`.
/// The speed of vibration, by which ISO 20816-1 judges machines, is the root of the sum over
/// frequencies of density / (2πf)².
public struct VibrationSpectrum: Sendable {
    /// What a window is like.
    public struct Reading: Hashable, Sendable {
        /// When the window ended.
        public let time: Timestamp
        /// In Hz, from 0 to half the rate.
        public let frequencies: [Double]
        /// Of the three axes together, in (m/s²)²/Hz.
        public let densities: [Double]
        /// The effective acceleration without gravity, in m/s².
        public let acceleration: Double
        /// The effective speed of the vibration from 1 Hz on, in mm/s.
        public let speed: Double
        /// Where the density is highest, in Hz; from 1 Hz on.
        public let peak: Double
    }

    /// Grid cells a second.
    public let rate: Double
    /// How many cells a window has; windows overlap by half.
    public let window: Int
    public private(set) var dropped = 0
    private var grids: [EvenGrid]
    private var axes: [[Double]] = [[], [], []]

    /// - Parameters:
    ///   - rate: at most what the sensor gives, 10 to 10 000 a second.
    ///   - window: 16 to 65 536 cells, which is how fine the frequencies are: rate / window.
    /// - Returns: `nil` beyond these ranges.
    public init?(rate: Int = 100, window: Int = 256) {
        guard (10...10_000).contains(rate), (16...65_536).contains(window) else { return nil }
        let width = 1_000_000 / Int64(rate)
        self.rate = 1_000_000 / Double(width)
        self.window = window
        // A tenth of a second may be missing.
        let gap = max(1, Int64(rate) / 10)
        grids = (0..<3).map { _ in EvenGrid(width: width, longestGap: gap) }
    }

    /// Takes a measurement.
    ///
    /// - Returns: the window that it completes, if any.
    /// - Throws: `CancellationError` when the task is cancelled while a spectrum is computed.
    public mutating func take(
        _ acceleration: Acceleration, at time: Timestamp
    ) throws -> Reading? {
        let numbers = [acceleration.x, acceleration.y, acceleration.z]
        for axis in 0..<3 {
            switch grids[axis].take(numbers[axis], at: time) {
            case .cells(let cells): axes[axis] += cells
            case .restarted: axes[axis].removeAll(keepingCapacity: true)
            case .late where axis == 0: dropped += 1
            case .late: break
            }
        }
        guard axes[0].count >= window else { return nil }
        defer { for axis in 0..<3 { axes[axis].removeFirst(window - window / 2) } }
        return try reading(at: time)
    }

    private func reading(at time: Timestamp) throws -> Reading? {
        var densities = [Double](repeating: 0, count: window / 2 + 1)
        var frequencies: [Double] = []
        for axis in axes {
            guard
                let spectrum = try PowerSpectrum.welch(
                    Array(axis.prefix(window)), rate: rate, segment: window)
            else { return nil }
            frequencies = spectrum.frequencies
            for place in densities.indices { densities[place] += spectrum.densities[place] }
        }
        let width = rate / Double(window)
        var (power, speed, peak) = (0.0, 0.0, 0)
        for (place, density) in densities.enumerated() {
            power += density * width
            let angular = 2 * Double.pi * frequencies[place]
            guard frequencies[place] >= 1 else { continue }
            speed += density * width / (angular * angular)
            if peak == 0 || density > densities[peak] { peak = place }
        }
        return Reading(
            time: time, frequencies: frequencies, densities: densities,
            acceleration: power.squareRoot(), speed: speed.squareRoot() * 1000,
            peak: frequencies[peak])
    }
}
