/// A band-pass filter for the movements of steps, from 1 to 2.2 Hz (−3 dB), for each axis.
///
/// The high-pass filter of first order removes gravity, also while the sensor is turned slowly, and leaves
/// what is already free of gravity nearly unchanged. The weights 1, 2, 3, 2, 1 reduce the amplitude at 5 Hz
/// to a ninth.
struct StepBand: Hashable, Sendable {
    /// In Hz.
    private static let lowest = 1.0
    /// The weight of a new value in the moving average that is removed.
    private static let weight = 1 / (1 + Gait.rate / (2 * Double.pi * lowest))

    private var slow: SIMD3<Double>?
    /// The last five values without the slow part.
    private var last: [SIMD3<Double>] = Array(repeating: .zero, count: 5)

    /// Takes a value of a grid with ``Gait/rate`` cells per second.
    ///
    /// - Returns: the filtered value of 0.1 s before.
    mutating func filter(_ value: SIMD3<Double>) -> SIMD3<Double> {
        let before = slow ?? value
        let now = before + (value - before) * Self.weight
        slow = now
        last.removeFirst()
        last.append(value - now)
        return (last[0] + 2 * last[1] + 3 * last[2] + 2 * last[3] + last[4]) / 9
    }
}
