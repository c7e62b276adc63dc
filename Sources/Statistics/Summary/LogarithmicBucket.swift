/// One of the intervals into which the positive doubles are cut, the same number in each octave.
///
/// The logarithm is that of the exponent, and between two powers of two the cubic polynomial that bends
/// least: P(f) = (6f³ − 21f² + 50f) / 35 for the fraction f of the significand, as in the reference
/// implementation of DDSketch (CubicallyInterpolatedMapping, DataDog/sketches-java). With 35 buckets an
/// octave the polynomial has whole coefficients, and a bucket spans at most a factor of e^(1/50).
struct LogarithmicBucket: Hashable, Comparable {
    static let countByOctave = 35
    /// The bucket of the least positive double.
    static let least = LogarithmicBucket(index: -1786)
    /// The bucket of the greatest finite double.
    static let greatest = LogarithmicBucket(index: 71_645)

    /// Adding it to a small double leaves the nearest whole number in the lowest bits, ties to even.
    static let rounder = 0x1.8p52

    /// 0 would begin at 2⁻¹⁰²³.
    let index: Int32

    init(index: Int32) {
        self.index = index
    }

    /// The bucket of a positive finite number.
    init(of number: Double) {
        if number >= .leastNormalMagnitude {
            self.init(index: Self.index(ofNormal: number))
        } else {
            self.init(
                index: Self.index(ofNormal: number * 0x1p54) - 54 * Int32(Self.countByOctave))
        }
    }

    static func < (left: Self, right: Self) -> Bool { left.index < right.index }

    /// The interval of all numbers that may be counted here.
    var bounds: ClosedRange<Double> {
        let lower = (Self.edge(index) * (1 - 1e-9)).nextDown
        let upper = (Self.edge(index + 1) * (1 + 1e-9)).nextUp
        return max(lower, .leastNonzeroMagnitude)...min(upper, .greatestFiniteMagnitude)
    }

    /// The number from which both ends are the same part of themselves away.
    var middle: Double {
        let (octave, place) = Self.split(index)
        let (lower, upper) = (Self.significands[place], Self.significands[place + 1])
        return Double(
            sign: .plus, exponent: octave - 1023, significand: 2 * lower * upper / (lower + upper))
    }

    private static func index(ofNormal number: Double) -> Int32 {
        let bits = number.bitPattern
        let exponent = Double(bitPattern: (bits >> 52) | 0x1p52.bitPattern) - 0x1p52
        let fraction = Double(bitPattern: (bits & 0x000F_FFFF_FFFF_FFFF) | 1.0.bitPattern) - 1
        let place = ((6 * fraction - 21) * fraction + 50) * fraction + (exponent * 35 - 0.5)
        return Int32(truncatingIfNeeded: (place + rounder).bitPattern &- rounder.bitPattern)
    }

    /// The same as of a single number, before rounding: of normal numbers of either sign.
    static func places(ofNormal numbers: SIMD8<Double>) -> SIMD8<Double> {
        let bits = unsafeBitCast(numbers, to: SIMD8<UInt64>.self) & 0x7FFF_FFFF_FFFF_FFFF
        let exponents =
            unsafeBitCast((bits &>> 52) | 0x1p52.bitPattern, to: SIMD8<Double>.self) - 0x1p52
        let fractions =
            unsafeBitCast(
                (bits & 0x000F_FFFF_FFFF_FFFF) | 1.0.bitPattern, to: SIMD8<Double>.self) - 1
        return ((6 * fractions - 21) * fractions + 50) * fractions + (exponents * 35 - 0.5)
    }

    /// Where a bucket begins, to a few units in the last place.
    private static func edge(_ index: Int32) -> Double {
        let (octave, place) = split(index)
        return Double(sign: .plus, exponent: octave - 1023, significand: significands[place])
    }

    private static func split(_ index: Int32) -> (octave: Int, place: Int) {
        let place = (Int(index) % countByOctave + countByOctave) % countByOctave
        return ((Int(index) - place) / countByOctave, place)
    }

    /// The significands at which the buckets of an octave begin, and 2.
    private static let significands: [Double] = (0...countByOctave).map { place in
        var fraction = Double(place) / Double(countByOctave)
        // Newton's method: the polynomial is all but straight.
        for _ in 0..<8 {
            let excess = ((6 * fraction - 21) * fraction + 50) * fraction - Double(place)
            fraction -= excess / ((18 * fraction - 42) * fraction + 50)
        }
        return 1 + fraction
    }
}
