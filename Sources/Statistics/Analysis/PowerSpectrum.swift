import Glibc

/// The power spectral density of evenly spaced numbers.
///
/// One-sided density, scaled as `scipy.signal.welch` and `periodogram` with their defaults: the
/// mean of each segment is subtracted, and the integral of the density over frequency equals the
/// variance.
///
/// ```swift
/// // The vibration of 100 readings per second, in segments of 256:
/// let spectrum = try PowerSpectrum.welch(readings, rate: 100, segment: 256)
/// ```
public struct PowerSpectrum: Hashable, Sendable {
    /// The window function applied to each segment.
    public enum Window: String, Hashable, Sendable, CaseIterable {
        /// The periodic Hann window 0.5 − 0.5·cos(2πn/N).
        case hann
        /// No window: all weights are 1.
        case boxcar
    }

    /// The frequencies in Hz, from 0 to half the sampling rate.
    public let frequencies: [Double]
    /// The density at each frequency, in squared units per Hz.
    public let densities: [Double]
    /// The number of segments that were averaged.
    public let segments: Int

    /// Welch's method: the mean of the spectra of segments that overlap by half.
    ///
    /// P. D. Welch, "The Use of Fast Fourier Transform for the Estimation of Power Spectra", IEEE
    /// Transactions on Audio and Electroacoustics 15 (1967). Numbers after the last whole
    /// segment are ignored.
    /// - Parameters:
    ///   - rate: the sampling rate in Hz.
    ///   - segment: the length of a segment; clamped to the number of values.
    /// - Returns: `nil` without numbers, for a rate or segment that is not above 0, and when a
    ///   density is not finite.
    /// - Throws: `CancellationError` when the task is cancelled.
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
            for index in densities.indices {
                densities[index] +=
                    real[index] * real[index] + imaginary[index] * imaginary[index]
            }
        }
        let scale = rate * weights.reduce(0) { $0 + $1 * $1 } * Double(segments)
        for index in densities.indices {
            // One-sided: all frequencies except 0 and the Nyquist frequency also represent their
            // negative.
            let isUnpaired = index == 0 || (length % 2 == 0 && index == length / 2)
            densities[index] *= (isUnpaired ? 1 : 2) / scale
        }
        guard densities.allSatisfy(\.isFinite) else { return nil }
        return PowerSpectrum(
            frequencies: densities.indices.map { Double($0) * rate / Double(length) },
            densities: densities, segments: segments)
    }

    /// The spectrum of all numbers as one segment without a window.
    ///
    /// A. Schuster, "On the Investigation of Hidden Periodicities" (1898).
    static func periodogram(_ numbers: [Double], rate: Double) throws -> PowerSpectrum? {
        try welch(numbers, rate: rate, segment: numbers.count, window: .boxcar)
    }

    private static func weights(_ window: Window, _ length: Int) -> [Double] {
        guard window == .hann, length > 1 else { return Array(repeating: 1, count: length) }
        return (0..<length).map { 0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(length)) }
    }
}

/// The discrete Fourier transform of one length: X[k] = Σ x[n]·e^(−2πikn/N).
///
/// Powers of two by the iterative radix-2 algorithm of J. W. Cooley and J. W. Tukey, "An Algorithm
/// for the Machine Calculation of Complex Fourier Series", Mathematics of Computation 19 (1965).
/// Other lengths as a convolution, computed with transforms of a power of two, by L. I. Bluestein,
/// "A Linear Filtering Approach to the Computation of Discrete Fourier Transform", IEEE
/// Transactions on Audio and Electroacoustics 18 (1970). O(N log N) for every N.
struct FourierTransform: Sendable {
    /// The number of values that it transforms.
    let length: Int
    /// e^(−2πik/M) for k below M/2, where M is the power of two used internally.
    private let cosines: [Double]
    private let sines: [Double]
    private let chirp: Chirp?

    /// The precomputed tables of Bluestein's algorithm.
    private struct Chirp: Sendable {
        /// The chirp e^(−πik²/N).
        let real: [Double]
        let imaginary: [Double]
        /// The transform of the conjugate chirp.
        let filterReal: [Double]
        let filterImaginary: [Double]
    }

    /// - Parameter length: taken as 0 when it is negative.
    init(length: Int) {
        self.length = max(0, length)
        let isPower = self.length & (self.length - 1) == 0
        var size = 1
        while size < (isPower ? self.length : 2 * self.length - 1) { size *= 2 }
        let angles = (0..<size / 2).map { -2 * Double.pi * Double($0) / Double(size) }
        let (cosines, sines) = (angles.map { cos($0) }, angles.map { sin($0) })
        (self.cosines, self.sines) = (cosines, sines)
        chirp = isPower ? nil : Self.chirp(self.length, size, cosines, sines)
    }

    /// Transforms ``length`` numbers; missing ones are 0.
    func callAsFunction(
        _ real: [Double], _ imaginary: [Double] = []
    ) -> (real: [Double], imaginary: [Double]) {
        var (real, imaginary) = (Self.padded(real, length), Self.padded(imaginary, length))
        guard let chirp else {
            Self.transform(&real, &imaginary, cosines, sines)
            return (real, imaginary)
        }
        let size = chirp.filterReal.count
        var (left, right) = (
            [Double](repeating: 0, count: size), [Double](repeating: 0, count: size)
        )
        for index in 0..<length {
            (left[index], right[index]) = Self.product(
                real[index], imaginary[index], chirp.real[index], chirp.imaginary[index])
        }
        Self.transform(&left, &right, cosines, sines)
        for index in 0..<size {
            let (a, b) = Self.product(
                left[index], right[index], chirp.filterReal[index], chirp.filterImaginary[index])
            // The inverse transform of numbers is the conjugate of the transform of their
            // conjugates.
            (left[index], right[index]) = (a, -b)
        }
        Self.transform(&left, &right, cosines, sines)
        for index in 0..<length {
            (real[index], imaginary[index]) = Self.product(
                left[index] / Double(size), -right[index] / Double(size), chirp.real[index],
                chirp.imaginary[index])
        }
        return (real, imaginary)
    }

    private static func padded(_ numbers: [Double], _ length: Int) -> [Double] {
        let missing = max(0, length - numbers.count)
        return numbers.prefix(length) + [Double](repeating: 0, count: missing)
    }

    private static func product(
        _ a: Double, _ b: Double, _ c: Double, _ d: Double
    ) -> (Double, Double) {
        (a * c - b * d, a * d + b * c)
    }

    private static func chirp(
        _ length: Int, _ size: Int, _ cosines: [Double], _ sines: [Double]
    ) -> Chirp {
        // k² mod 2N in integers, so that large angles lose no precision.
        let angles = (0..<length).map { index in
            let square = index.multipliedFullWidth(by: index)
            let rest = (2 * length).dividingFullWidth(square).remainder
            return -Double.pi * Double(rest) / Double(length)
        }
        let (real, imaginary) = (angles.map { cos($0) }, angles.map { sin($0) })
        var left = [Double](repeating: 0, count: size)
        var right = left
        for index in 0..<length {
            (left[index], right[index]) = (real[index], -imaginary[index])
            guard index > 0 else { continue }
            (left[size - index], right[size - index]) = (real[index], -imaginary[index])
        }
        transform(&left, &right, cosines, sines)
        return Chirp(
            real: real, imaginary: imaginary, filterReal: left, filterImaginary: right)
    }

    /// Transforms in place; the length is a power of two, and the tables have half as many entries.
    private static func transform(
        _ real: inout [Double], _ imaginary: inout [Double], _ cosines: [Double], _ sines: [Double]
    ) {
        let count = real.count
        guard count > 1 else { return }
        var reversed = 0
        for index in 1..<count {
            var bit = count >> 1
            while reversed & bit != 0 {
                reversed ^= bit
                bit >>= 1
            }
            reversed |= bit
            if index < reversed {
                real.swapAt(index, reversed)
                imaginary.swapAt(index, reversed)
            }
        }
        var width = 2
        while width <= count {
            let (half, stride) = (width / 2, count / width)
            for start in Swift.stride(from: 0, to: count, by: width) {
                for offset in 0..<half {
                    let (upper, lower) = (start + offset, start + offset + half)
                    let (a, b) = product(
                        real[lower], imaginary[lower], cosines[offset * stride],
                        sines[offset * stride])
                    (real[lower], imaginary[lower]) = (real[upper] - a, imaginary[upper] - b)
                    (real[upper], imaginary[upper]) = (real[upper] + a, imaginary[upper] + b)
                }
            }
            width *= 2
        }
    }
}
