import Glibc

/// The discrete Fourier transform of one length: X[k] = Σ x[n]·e^(−2πikn/N).
///
/// Powers of two by the iterative radix-2 algorithm of J. W. Cooley and J. W. Tukey, "An Algorithm
/// for the Machine Calculation of Complex Fourier Series", Mathematics of Computation 19 (1965);
/// other lengths as a convolution of such, by L. I. Bluestein, "A Linear Filtering Approach to the
/// Computation of Discrete Fourier Transform", IEEE Transactions on Audio and Electroacoustics 18
/// (1970). O(N log N) for every N.
public struct FourierTransform: Sendable {
    /// How many numbers it transforms.
    public let length: Int
    /// e^(−2πik/M) for k below M/2, where M is the power of two that is transformed.
    private let cosines: [Double]
    private let sines: [Double]
    private let chirp: Chirp?

    /// What Bluestein's algorithm needs for a length.
    private struct Chirp: Sendable {
        /// The chirp e^(−πik²/N).
        let real: [Double]
        let imaginary: [Double]
        /// The transform of the conjugate chirp.
        let filterReal: [Double]
        let filterImaginary: [Double]
    }

    /// - Parameter length: taken as 0 when it is negative.
    public init(length: Int) {
        self.length = max(0, length)
        let isPower = self.length & (self.length - 1) == 0
        var size = 1
        while size < (isPower ? self.length : 2 * self.length - 1) { size *= 2 }
        let angles = (0..<size / 2).map { -2 * Double.pi * Double($0) / Double(size) }
        let (cosines, sines) = (angles.map { cos($0) }, angles.map { sin($0) })
        (self.cosines, self.sines) = (cosines, sines)
        chirp = isPower ? nil : Self.chirp(self.length, size, cosines, sines)
    }

    /// The transform of as many numbers as the length says; missing ones count as 0.
    public func callAsFunction(
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
        for place in 0..<length {
            (left[place], right[place]) = Self.product(
                real[place], imaginary[place], chirp.real[place], chirp.imaginary[place])
        }
        Self.transform(&left, &right, cosines, sines)
        for place in 0..<size {
            let (a, b) = Self.product(
                left[place], right[place], chirp.filterReal[place], chirp.filterImaginary[place])
            // The inverse transform is the conjugate of that of the conjugate.
            (left[place], right[place]) = (a, -b)
        }
        Self.transform(&left, &right, cosines, sines)
        for place in 0..<length {
            (real[place], imaginary[place]) = Self.product(
                left[place] / Double(size), -right[place] / Double(size), chirp.real[place],
                chirp.imaginary[place])
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
        // k² modulo 2N in whole numbers, so that no angle loses digits.
        let angles = (0..<length).map { place in
            let square = place.multipliedFullWidth(by: place)
            let rest = (2 * length).dividingFullWidth(square).remainder
            return -Double.pi * Double(rest) / Double(length)
        }
        let (real, imaginary) = (angles.map { cos($0) }, angles.map { sin($0) })
        var left = [Double](repeating: 0, count: size)
        var right = left
        for place in 0..<length {
            (left[place], right[place]) = (real[place], -imaginary[place])
            guard place > 0 else { continue }
            (left[size - place], right[size - place]) = (real[place], -imaginary[place])
        }
        transform(&left, &right, cosines, sines)
        return Chirp(
            real: real, imaginary: imaginary, filterReal: left, filterImaginary: right)
    }

    /// In place; the length is a power of two, the tables hold half as many.
    private static func transform(
        _ real: inout [Double], _ imaginary: inout [Double], _ cosines: [Double], _ sines: [Double]
    ) {
        let count = real.count
        guard count > 1 else { return }
        var reversed = 0
        for place in 1..<count {
            var bit = count >> 1
            while reversed & bit != 0 {
                reversed ^= bit
                bit >>= 1
            }
            reversed |= bit
            if place < reversed {
                real.swapAt(place, reversed)
                imaginary.swapAt(place, reversed)
            }
        }
        var width = 2
        while width <= count {
            let (half, stride) = (width / 2, count / width)
            for start in Swift.stride(from: 0, to: count, by: width) {
                for place in 0..<half {
                    let (upper, lower) = (start + place, start + place + half)
                    let (a, b) = product(
                        real[lower], imaginary[lower], cosines[place * stride],
                        sines[place * stride])
                    (real[lower], imaginary[lower]) = (real[upper] - a, imaginary[upper] - b)
                    (real[upper], imaginary[upper]) = (real[upper] + a, imaginary[upper] + b)
                }
            }
            width *= 2
        }
    }
}
