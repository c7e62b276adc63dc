extension Moments {
    /// How many bytes ``bytes`` are.
    public static let byteCount = 64

    /// A form to store, from which `init(bytes:)` makes the same moments, bit for bit.
    ///
    /// Eight words of eight bytes, each with the least significant byte first; all but the count are
    /// doubles of IEEE 754:
    ///
    ///     0   count, at most 2⁶⁰
    ///     8   minimum; +∞ of nothing
    ///     16  maximum; −∞ of nothing
    ///     24  the origin from which distances are taken
    ///     32  mean distance from the origin
    ///     40  sum of the squares of the distances from the mean
    ///     48  sum
    ///     56  what the sum lost in rounding, to be added to it
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

    /// Reads ``bytes``; `nil` for what no moments give, as far as that shows.
    ///
    /// There is no checksum: what stores the bytes has one of its own.
    public init?(bytes: some Collection<UInt8>) {
        guard let moments = Array(bytes).withUnsafeBytes({ Moments(bytes: $0) }) else { return nil }
        self = moments
    }

    /// The same from bytes where they are.
    public init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        func word(_ place: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self))
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

    /// Whether some numbers have these moments.
    ///
    /// Of numbers whose sum or squares are beyond the doubles, all but the ends may be NaN.
    private var isPossible: Bool {
        if count == 0 { return self == Moments() }
        guard minimum <= maximum, !(squares < 0) else { return false }
        return count > 1 || meanDistance.isNaN || (meanDistance == 0 && minimum == maximum)
    }
}
