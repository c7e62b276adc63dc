import Glibc
public import Samples
import Statistics

/// The vibration of the surface below an accelerometer.
///
/// The first 32 samples determine the rate, and so the highest frequency; the rate must be at least
/// ten per second. See ``VibrationSpectrum``.
public struct VibrationMeter: Sendable {
    /// The number of dropped samples.
    public private(set) var dropped = 0
    private var rate = SampleRate()
    private var spectrum: VibrationSpectrum?

    /// Creates a meter.
    public init() {}
}

extension VibrationMeter: DerivedSensor {
    public static let inputs = Acceleration.fields
    public static let longestInterval: Duration? = Acceleration.longestInterval
    /// The frequency with the highest density, and the root mean squares of acceleration and speed.
    public static let outputs = [
        Field("frequency", unit: "Hz"), Field("acceleration", unit: "m/s2"),
        Field("speed", unit: "mm/s"),
    ]

    /// - Returns: a sample after each 128 cells.
    public mutating func take(_ sample: Sample) -> Sample? {
        guard let acceleration = Acceleration(sample) else {
            dropped += 1
            return nil
        }
        if rate.take(sample.time), let perSecond = rate.perSecond {
            spectrum = Int(exactly: perSecond.rounded()).flatMap { VibrationSpectrum(rate: $0) }
        }
        let before = spectrum?.dropped ?? 0
        // `take` throws only when the task is cancelled, and then the sample is not needed.
        let reading = try? spectrum?.take(acceleration, at: sample.time)
        dropped += (spectrum?.dropped ?? 0) - before
        return reading.map {
            Sample(
                time: $0.time,
                values: [.number($0.peak), .number($0.acceleration), .number($0.speed)])
        }
    }
}

/// The spectrum of acceleration in windows, for the vibration of machines, floors and the ground.
///
/// Each axis is resampled to an even grid; the densities of the axes are added, so that the
/// orientation does not matter. Densities are Welch's, with a Hann window: see `PowerSpectrum`. The
/// speed of vibration, by which ISO 20816-1 assesses machines, is the root of the sum over
/// frequencies of density / (2πf)².
public struct VibrationSpectrum: Sendable {
    /// The result for a window.
    public struct Reading: Hashable, Sendable {
        /// When the window ended.
        public let time: Timestamp
        /// The frequencies in Hz, from 0 to half the rate.
        public let frequencies: [Double]
        /// The densities of the three axes together, in (m/s²)²/Hz.
        public let densities: [Double]
        /// The root mean square of the acceleration without gravity, in m/s².
        public let acceleration: Double
        /// The root mean square of the speed from 1 Hz upwards, in mm/s.
        public let speed: Double
        /// The frequency with the highest density from 1 Hz upwards, in Hz.
        public let peak: Double
    }

    /// Grid cells per second.
    public let rate: Double
    /// Cells in a window; windows overlap by half.
    public let window: Int
    /// How many measurements were dropped because they came too late.
    public private(set) var dropped = 0
    private var grid: EvenGrid
    private var axes: [[Double]] = [[], [], []]

    /// Creates a spectrum.
    ///
    /// - Parameters:
    ///   - rate: 10 to 10 000 per second, at most the rate of the sensor.
    ///   - window: 16 to 65 536 cells; the resolution is rate / window.
    /// - Returns: `nil` beyond these ranges.
    public init?(rate: Int = 100, window: Int = 256) {
        guard (10...10_000).contains(rate), (16...65_536).contains(window) else { return nil }
        let width = 1_000_000 / Int64(rate)
        self.rate = 1_000_000 / Double(width)
        self.window = window
        // Gaps up to a tenth of a second are interpolated.
        let gap = max(1, Int64(rate) / 10)
        grid = EvenGrid(width: width, longestGap: gap)
    }

    /// Takes a measurement.
    ///
    /// - Returns: the window that is complete now, if any.
    /// - Throws: `CancellationError` when the task is cancelled while a spectrum is computed.
    public mutating func take(
        _ acceleration: Acceleration, at time: Timestamp
    ) throws -> Reading? {
        switch grid.take(acceleration.vector, at: time) {
        case .cells(let cells):
            for axis in 0..<3 { axes[axis] += cells.map { $0[axis] } }
        case .restarted:
            for axis in 0..<3 { axes[axis].removeAll(keepingCapacity: true) }
        case .late: dropped += 1
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
            for index in densities.indices { densities[index] += spectrum.densities[index] }
        }
        let width = rate / Double(window)
        var (power, speed, peak) = (0.0, 0.0, 0)
        for (index, density) in densities.enumerated() {
            power += density * width
            let angular = 2 * Double.pi * frequencies[index]
            guard frequencies[index] >= 1 else { continue }
            speed += density * width / (angular * angular)
            if peak == 0 || density > densities[peak] { peak = index }
        }
        return Reading(
            time: time, frequencies: frequencies, densities: densities,
            acceleration: power.squareRoot(), speed: speed.squareRoot() * 1000,
            peak: frequencies[peak])
    }
}
