import Glibc

/// How the variance of evenly spaced numbers is spread over frequencies.
///
/// One-sided density, scaled as `scipy.signal.welch` and `periodogram` do with their defaults: the
/// mean of each segment is taken off, and the density times the width of a frequency sums up to the
/// variance.
public struct PowerSpectrum: Hashable, Sendable {
    /// How much each number of a segment weighs.
    public enum Window: String, Hashable, Sendable, CaseIterable {
        /// 0.5 − 0.5·cos(2πn/N), periodic.
        case hann
        /// None.
        case boxcar
    }

    /// In Hz, from 0 to half the rate.
    public let frequencies: [Double]
    /// In the square of the unit, by Hz.
    public let densities: [Double]
    /// How many segments were averaged.
    public let segments: Int

    /// The mean of the spectra of segments that overlap by half.
    ///
    /// P. D. Welch, "The Use of Fast Fourier Transform for the Estimation of Power Spectra", IEEE
    /// Transactions on Audio and Electroacoustics 15 (1967). What is left after the last whole
    /// segment does not count.
    /// - Parameters:
    ///   - rate: numbers a second.
    ///   - segment: how many numbers a segment has; all when it is more.
    /// - Returns: `nil` of nothing, for a rate or a segment that is not above zero, and when a
    ///   density is not finite.
    /// - Throws: `CancellationError`.
    public static func welch(
        _ numbers: [Double], rate: Double, segment: Int, window: Window = .hann
    ) throws -> PowerSpectrum? {
        let length = min(segment, numbers.count)
        guard length > 0, rate > 0, rate.isFinite else { return nil }
        let weights = Self.weights(window, length)
        let transform = FourierTransform(length: length)
        let step = length - length / 2
        let segments = (numbers.count - length / 2) / step
        var densities = [Double](repeating: 0, count: length / 2 + 1)
        for number in 0..<segments {
            try Task.checkCancellation()
            let part = numbers[(number * step)..<(number * step + length)]
            let mean = Moments(part).mean ?? 0
            let (real, imaginary) = transform(zip(part, weights).map { ($0 - mean) * $1 })
            for place in densities.indices {
                densities[place] +=
                    real[place] * real[place] + imaginary[place] * imaginary[place]
            }
        }
        let scale = rate * weights.reduce(0) { $0 + $1 * $1 } * Double(segments)
        for place in densities.indices {
            // Frequencies that stand for themselves and their negative count twice.
            let isAlone = place == 0 || (length % 2 == 0 && place == length / 2)
            densities[place] *= (isAlone ? 1 : 2) / scale
        }
        guard densities.allSatisfy(\.isFinite) else { return nil }
        return PowerSpectrum(
            frequencies: densities.indices.map { Double($0) * rate / Double(length) },
            densities: densities, segments: segments)
    }

    /// The spectrum of all numbers at once, without a window.
    ///
    /// A. Schuster, "On the Investigation of Hidden Periodicities" (1898).
    public static func periodogram(_ numbers: [Double], rate: Double) throws -> PowerSpectrum? {
        try welch(numbers, rate: rate, segment: numbers.count, window: .boxcar)
    }

    private static func weights(_ window: Window, _ length: Int) -> [Double] {
        guard window == .hann, length > 1 else { return Array(repeating: 1, count: length) }
        return (0..<length).map { 0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(length)) }
    }
}
