import Samples

/// Mergeable count, sum, mean, variance, minimum and maximum of numbers.
///
/// ```swift
/// var moments = Moments([1, 2, 3, 4])
/// moments.mean            // 2.5
/// moments.sampleVariance  // 1.666…
/// moments.merge(Moments([5]))
/// ```
///
/// Second central moment by Welford's recurrence (B. P. Welford, "Note on a Method for Calculating
/// Corrected Sums of Squares and Products", Technometrics 4, 1962) on the differences from the
/// first number, which preserves precision when the spread is small relative to the numbers (Chan,
/// Golub and LeVeque, "Algorithms for Computing the Sample Variance", 1983); merging after the same
/// authors (1979); the sum compensated after Neumaier (1974).
public struct Moments: Hashable, Sendable {
    /// The number of values.
    public private(set) var count = 0
    /// The smallest value; +∞ for none.
    public private(set) var minimum = Double.infinity
    /// The largest value; −∞ for none.
    public private(set) var maximum = -Double.infinity
    /// The reference value that differences are taken from.
    private var origin = 0.0
    private var meanDistance = 0.0
    private var squares = 0.0
    private var partialSum = 0.0
    private var compensation = 0.0

    /// Counts saturate here when merged, so that they never overflow.
    private static let greatestCount = 1 << 60

    /// The moments of no numbers.
    public init() {}

    /// The moments of these numbers.
    public init(_ numbers: some Sequence<Double>) {
        for number in numbers { insert(number) }
    }

    /// Adds one number.
    public mutating func insert(_ number: Double) {
        if count == 0 { origin = number }
        count += 1
        let distance = number - origin
        let delta = distance - meanDistance
        meanDistance += delta / Double(count)
        squares += delta * (distance - meanDistance)
        minimum = min(minimum, number)
        maximum = max(maximum, number)
        add(number)
    }

    /// Adds the numbers of another `Moments`.
    public mutating func merge(_ other: Moments) {
        guard other.count > 0 else { return }
        guard count > 0 else {
            self = other
            return
        }
        let total = Double(count + other.count)
        let delta = (other.origin - origin) + (other.meanDistance - meanDistance)
        squares += other.squares + delta * delta * Double(count) * Double(other.count) / total
        meanDistance += delta * Double(other.count) / total
        count = min(count, Self.greatestCount - other.count) + other.count
        minimum = min(minimum, other.minimum)
        maximum = max(maximum, other.maximum)
        add(other.partialSum)
        add(other.compensation)
    }

    /// The compensated sum; 0 for no numbers, infinite on overflow.
    public var sum: Double { partialSum.isFinite ? partialSum + compensation : partialSum }

    /// The arithmetic mean; `nil` for no numbers.
    public var mean: Double? {
        guard count > 0 else { return nil }
        return sum.isFinite ? sum / Double(count) : origin + meanDistance
    }

    /// The variance with divisor n − 1; `nil` for fewer than two numbers.
    public var sampleVariance: Double? { count > 1 ? squares / Double(count - 1) : nil }

    /// The variance with divisor n; `nil` for no numbers.
    public var populationVariance: Double? { count > 0 ? squares / Double(count) : nil }

    /// The root mean square, √(mean² + population variance); `nil` for no numbers.
    public var rootMeanSquare: Double? {
        guard let populationVariance, let mean else { return nil }
        return (populationVariance + mean * mean).squareRoot()
    }

    /// Adds to the compensated sum only.
    private mutating func add(_ number: Double) {
        let total = partialSum + number
        compensation +=
            abs(partialSum) >= abs(number)
            ? (partialSum - total) + number : (number - total) + partialSum
        partialSum = total
    }
}

extension Moments {
    /// The length of a block that fits the first-level cache, since it is read twice.
    private static let blockLength = 1024
    /// Below this length, inserting one at a time is as fast.
    private static let shortestBlock = 32

    /// The moments of these numbers, computed in bulk.
    public init(_ numbers: UnsafeBufferPointer<Double>) {
        self.init()
        insert(numbers)
    }

    /// Inserts many numbers, several times as fast as one at a time.
    ///
    /// Makes two passes over each block: sum, minimum and maximum, then the squared deviations from
    /// the block's mean, with the correction of Chan, Golub and LeVeque (1983). The sum is
    /// compensated in each lane with the exact error of every addition (D. E. Knuth, "The Art of
    /// Computer Programming" 2, 4.2.2, theorem B).
    public mutating func insert(_ numbers: UnsafeBufferPointer<Double>) {
        var rest = numbers[...]
        while rest.count >= Self.shortestBlock {
            let length = min(rest.count, Self.blockLength) / 8 * 8
            let block = UnsafeBufferPointer(rebasing: rest.prefix(length))
            if let moments = Self.block(UnsafeRawBufferPointer(block)) {
                merge(moments)
            } else {
                for number in block { insert(number) }
            }
            rest = rest.dropFirst(length)
        }
        for number in rest { insert(number) }
    }

    /// The moments of a whole number of vectors; `nil` on overflow.
    private static func block(_ bytes: UnsafeRawBufferPointer) -> Moments? {
        var moments = Moments()
        moments.count = bytes.count / MemoryLayout<Double>.stride
        moments.addAll(bytes)
        let mean = moments.sum / Double(moments.count)
        let (distance, squares) = deviations(of: bytes, from: mean)
        moments.origin = mean
        moments.meanDistance = distance / Double(moments.count)
        moments.squares = max(squares - distance * moments.meanDistance, 0)
        return squares.isFinite && moments.sum.isFinite ? moments : nil
    }

    private mutating func addAll(_ bytes: UnsafeRawBufferPointer) {
        typealias Vector = SIMD4<Double>
        var sums = Vector.zero
        var errors = Vector.zero
        var lowest = Vector(repeating: .infinity)
        var highest = Vector(repeating: -.infinity)
        for offset in stride(from: 0, to: bytes.count, by: MemoryLayout<Vector>.stride) {
            let numbers = bytes.loadUnaligned(fromByteOffset: offset, as: Vector.self)
            let totals = sums + numbers
            let added = totals - sums
            errors += (sums - (totals - added)) + (numbers - added)
            sums = totals
            lowest.replace(with: numbers, where: numbers .< lowest)
            highest.replace(with: numbers, where: numbers .> highest)
        }
        for lane in sums.indices {
            add(sums[lane])
            add(errors[lane])
            minimum = min(minimum, lowest[lane])
            maximum = max(maximum, highest[lane])
        }
    }

    /// The sum of the deviations from a number, and of their squares.
    private static func deviations(
        of bytes: UnsafeRawBufferPointer, from mean: Double
    ) -> (sum: Double, squares: Double) {
        typealias Vector = SIMD8<Double>
        let means = Vector(repeating: mean)
        var sums = Vector.zero
        var squares = Vector.zero
        for offset in stride(from: 0, to: bytes.count, by: MemoryLayout<Vector>.stride) {
            let distances = bytes.loadUnaligned(fromByteOffset: offset, as: Vector.self) - means
            sums += distances
            squares += distances * distances
        }
        return (sums.sum(), squares.sum())
    }
}

extension Moments {
    /// The length of ``bytes``.
    public static let byteCount = 64

    /// The serialized form, which `init(bytes:)` restores bit for bit.
    ///
    /// Eight little-endian words of eight bytes; all but the count are IEEE 754 doubles:
    ///
    ///     0   count, at most 2⁶⁰
    ///     8   minimum; +∞ for no numbers
    ///     16  maximum; −∞ for no numbers
    ///     24  origin, from which differences are taken
    ///     32  mean difference from the origin
    ///     40  sum of squared deviations from the mean
    ///     48  sum
    ///     56  rounding error of the sum, to be added to it
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        let doubles = [
            minimum, maximum, origin, meanDistance, squares, partialSum, compensation,
        ]
        for word in [UInt64(count)] + doubles.map(\.bitPattern) {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return bytes
    }

    /// Decodes ``bytes``; `nil` for bytes that cannot be the serialized form of moments.
    ///
    /// There is no checksum; the container of the bytes has to provide one.
    public init?(bytes: some Collection<UInt8>) {
        guard let moments = Array(bytes).withUnsafeBytes({ Moments(bytes: $0) }) else { return nil }
        self = moments
    }

    /// Decodes ``bytes`` in place.
    public init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        func word(_ index: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        guard let count = Int(exactly: word(0)), count <= Self.greatestCount else { return nil }
        self.init()
        self.count = count
        minimum = Double(bitPattern: word(1))
        maximum = Double(bitPattern: word(2))
        origin = Double(bitPattern: word(3))
        meanDistance = Double(bitPattern: word(4))
        squares = Double(bitPattern: word(5))
        partialSum = Double(bitPattern: word(6))
        compensation = Double(bitPattern: word(7))
        guard isPossible else { return nil }
    }

    /// Whether any numbers can have these moments.
    ///
    /// When sum or squares overflow, everything but minimum and maximum may be NaN.
    private var isPossible: Bool {
        if count == 0 { return self == Moments() }
        guard minimum <= maximum, !(squares < 0) else { return false }
        return count > 1 || meanDistance.isNaN || (meanDistance == 0 && minimum == maximum)
    }
}
