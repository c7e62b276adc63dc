extension Moments {
    /// Numbers that are read twice while they are in the nearest cache.
    private static let blockLength = 1024
    /// Below this many, one at a time is as fast.
    private static let shortestBlock = 32

    public init(_ numbers: UnsafeBufferPointer<Double>) {
        self.init()
        insert(numbers)
    }

    /// Inserts many numbers, several times as fast as one at a time.
    ///
    /// Takes blocks in two passes: sum, minimum and maximum, then the squares of the distances from the
    /// block's mean, with the correction of Chan, Golub and LeVeque (1983). The sum is compensated
    /// in each lane with the exact error of every addition (D. E. Knuth, "The Art of Computer
    /// Programming" 2, 4.2.2, theorem B).
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

    /// The moments of a whole number of vectors; `nil` where a double cannot hold them.
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

    /// The sum of the distances from a number, and of their squares.
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
