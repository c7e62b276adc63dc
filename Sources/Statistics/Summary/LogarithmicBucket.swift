/// A bucket of positive doubles with nearly logarithmic bounds, 35 for each octave.
///
/// The logarithm is approximated by the exponent plus a cubic polynomial of the significand's fraction:
/// P(f) = (6f³ − 21f² + 50f) / 35, as in the reference
/// implementation of DDSketch (CubicallyInterpolatedMapping, DataDog/sketches-java). With 35 buckets for each
/// octave the polynomial has integer coefficients, and a bucket spans at most a factor of e^(1/50).
struct LogarithmicBucket: Hashable, Comparable {
    static let countByOctave = 35
    /// The bucket of the least positive double.
    static let least = LogarithmicBucket(index: -1786)
    /// The bucket of the greatest finite double.
    static let greatest = LogarithmicBucket(index: 71_645)

    /// Adding it to a small double rounds to the nearest integer, ties to even, in the lowest bits.
    static let rounder = 0x1.8p52

    /// Index 0 starts at 2⁻¹⁰²³.
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

    /// The interval of all numbers that may be counted in this bucket, rounding included.
    var bounds: ClosedRange<Double> {
        let lower = (Self.edge(index) * (1 - 1e-9)).nextDown
        let upper = (Self.edge(index + 1) * (1 + 1e-9)).nextUp
        return max(lower, .leastNonzeroMagnitude)...min(upper, .greatestFiniteMagnitude)
    }

    /// The representative: the number with the same relative distance to both bounds.
    var middle: Double {
        let (octave, offset) = Self.split(index)
        let (lower, upper) = (Self.significands[offset], Self.significands[offset + 1])
        return Double(
            sign: .plus, exponent: octave - 1023, significand: 2 * lower * upper / (lower + upper))
    }

    private static func index(ofNormal number: Double) -> Int32 {
        let bits = number.bitPattern
        let exponent = Double(bitPattern: (bits >> 52) | 0x1p52.bitPattern) - 0x1p52
        let fraction = Double(bitPattern: (bits & 0x000F_FFFF_FFFF_FFFF) | 1.0.bitPattern) - 1
        let position = ((6 * fraction - 21) * fraction + 50) * fraction + (exponent * 35 - 0.5)
        return Int32(truncatingIfNeeded: (position + rounder).bitPattern &- rounder.bitPattern)
    }

    /// Bucket indices before rounding of eight normal numbers of either sign.
    static func positions(ofNormal numbers: SIMD8<Double>) -> SIMD8<Double> {
        let bits = unsafeBitCast(numbers, to: SIMD8<UInt64>.self) & 0x7FFF_FFFF_FFFF_FFFF
        let exponents =
            unsafeBitCast((bits &>> 52) | 0x1p52.bitPattern, to: SIMD8<Double>.self) - 0x1p52
        let fractions =
            unsafeBitCast(
                (bits & 0x000F_FFFF_FFFF_FFFF) | 1.0.bitPattern, to: SIMD8<Double>.self) - 1
        return ((6 * fractions - 21) * fractions + 50) * fractions + (exponents * 35 - 0.5)
    }

    /// The lower bound of a bucket, accurate to a few units in the last place.
    private static func edge(_ index: Int32) -> Double {
        let (octave, offset) = split(index)
        return Double(sign: .plus, exponent: octave - 1023, significand: significands[offset])
    }

    private static func split(_ index: Int32) -> (octave: Int, offset: Int) {
        let offset = (Int(index) % countByOctave + countByOctave) % countByOctave
        return ((Int(index) - offset) / countByOctave, offset)
    }

    /// The significands at which the buckets of an octave start, and 2.
    private static let significands: [Double] = (0...countByOctave).map { offset in
        var fraction = Double(offset) / Double(countByOctave)
        // Newton's method converges quickly: the polynomial is nearly linear.
        for _ in 0..<8 {
            let excess = ((6 * fraction - 21) * fraction + 50) * fraction - Double(offset)
            fraction -= excess / ((18 * fraction - 42) * fraction + 50)
        }
        return 1 + fraction
    }
}

/// The counts of buckets, stored in pages of neighbouring buckets; empty pages are omitted.
struct BucketCounts: Hashable, Sendable {
    private static let pageShift: Int32 = 4
    private static let pageLength = 1 << Int(pageShift)

    /// The page numbers, ascending.
    private var pages: [Int32] = []
    /// The counts, page after page; bits above 32 are in `carries`.
    private var counts: [UInt32] = []
    private var carries: [Int32: UInt32] = [:]
    private(set) var total = 0

    mutating func add(_ amount: UInt64, to bucket: LogarithmicBucket) {
        guard amount > 0 else { return }
        let slot = slot(of: bucket.index)
        let sum = UInt64(counts[slot]) + (amount & 0xFFFF_FFFF)
        counts[slot] = UInt32(truncatingIfNeeded: sum)
        let carry = UInt32(truncatingIfNeeded: (sum >> 32) + (amount >> 32))
        if carry > 0 { carries[bucket.index, default: 0] += carry }
        total += Int(amount)
    }

    /// Calls `body` with each non-empty bucket, lowest first.
    func forEach(_ body: (LogarithmicBucket, UInt64) -> Void) {
        for page in pages.indices {
            for offset in 0..<Self.pageLength {
                let count = counts[page * Self.pageLength + offset]
                let index = pages[page] << Self.pageShift + Int32(offset)
                let whole = UInt64(count) + carry(of: index)
                if whole > 0 { body(LogarithmicBucket(index: index), whole) }
            }
        }
    }

    /// The bucket that contains the number of a rank, from 0 for the lowest; `nil` beyond the last.
    func bucket(ofRank rank: Int) -> LogarithmicBucket? {
        var rest = UInt64(rank)
        for slot in counts.indices {
            let (page, offset) = (slot >> Int(Self.pageShift), slot & (Self.pageLength - 1))
            let index = pages[page] << Self.pageShift + Int32(offset)
            let count = UInt64(counts[slot]) + carry(of: index)
            if rest < count { return LogarithmicBucket(index: index) }
            rest -= count
        }
        return nil
    }

    private func carry(of index: Int32) -> UInt64 {
        carries.isEmpty ? 0 : UInt64(carries[index] ?? 0) << 32
    }

    /// The index of a bucket's count, after inserting its page if needed.
    private mutating func slot(of index: Int32) -> Int {
        let page = index >> Self.pageShift
        let offset = Int(index) & (Self.pageLength - 1)
        if pages.last == page { return (pages.count - 1) * Self.pageLength + offset }
        var lower = 0
        var upper = pages.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if pages[middle] < page { lower = middle + 1 } else { upper = middle }
        }
        if lower == pages.count || pages[lower] != page { open(page, at: lower) }
        return lower * Self.pageLength + offset
    }

    private mutating func open(_ page: Int32, at index: Int) {
        // Grows by an eighth: doubling could use twice the memory that the sketch needs.
        if pages.count == pages.capacity {
            pages.reserveCapacity(pages.count + pages.count / 8 + 2)
        }
        if counts.count + Self.pageLength > counts.capacity {
            counts.reserveCapacity(counts.count + counts.count / 8 + Self.pageLength)
        }
        pages.insert(page, at: index)
        counts.insert(
            contentsOf: repeatElement(0, count: Self.pageLength), at: index * Self.pageLength)
    }
}
