extension QuantileSketch {
    private static let version: UInt8 = 1
    /// More than any sensor produces, and small enough that no sum of counts overflows.
    private static let greatestCount: UInt64 = 1 << 40
    /// The number of consecutive empty buckets that end a run.
    ///
    /// Within a run each would take a byte; the start of another run takes two or more.
    private static let shortestGap: Int32 = 3

    /// The serialized form, from which ``init(bytes:)`` restores an equal sketch.
    ///
    /// Equal sketches have equal bytes. The form consists of unsigned LEB128 varints of minimal length.
    ///
    ///     1 byte   version: 1
    ///     varint   number of zeros
    ///     varint   number of runs of buckets of positive numbers
    ///       varint   first run: its first bucket, relative to the bucket of the least positive double;
    ///                other runs: number of buckets since the preceding run, minus 3
    ///       varint   number of buckets, minus 1
    ///       varints  count of each bucket; the first and the last are not 0, nor are three in a row
    ///     varint   number of runs of buckets of negative numbers, by magnitude
    ///       …        each as above
    ///
    /// An empty sketch has 4 bytes. A bucket takes one byte below 128 numbers, two below 16 384. The bytes of
    /// a sketch of more than 2⁴⁰ numbers are rejected by ``init(bytes:)``.
    public var bytes: [UInt8] {
        var bytes = [Self.version]
        Varint.append(UInt64(zeros), to: &bytes)
        Self.append(positives, to: &bytes)
        Self.append(negatives, to: &bytes)
        return bytes
    }

    /// Decodes ``bytes``; `nil` for anything else.
    ///
    /// Allocates at most 16 buckets for every three bytes. There is no checksum; the container of the bytes
    /// has to provide one.
    public init?(bytes: some Collection<UInt8>) {
        let sketch = bytes.withContiguousStorageIfAvailable { QuantileSketch(reading: $0) }
        guard
            let read = sketch
                ?? Array(bytes).withUnsafeBufferPointer({ QuantileSketch(reading: $0) })
        else { return nil }
        self = read
    }

    private init?(reading bytes: UnsafeBufferPointer<UInt8>) {
        self.init()
        var rest = bytes[...]
        guard rest.popFirst() == Self.version, let zeros = Varint.next(&rest),
            zeros <= Self.greatestCount, Self.read(&positives, from: &rest),
            Self.read(&negatives, from: &rest), rest.isEmpty
        else { return nil }
        self.zeros = Int(zeros)
        count = self.zeros + positives.total + negatives.total
        guard count <= Self.greatestCount else { return nil }
    }

    private static func append(_ counts: BucketCounts, to bytes: inout [UInt8]) {
        var filled: [(index: Int32, count: UInt64)] = []
        counts.forEach { filled.append(($0.index, $1)) }
        let starts = filled.indices.filter {
            $0 == 0 || filled[$0].index - filled[$0 - 1].index > shortestGap
        }
        Varint.append(UInt64(starts.count), to: &bytes)
        var behind = LogarithmicBucket.least.index - shortestGap
        for (start, end) in zip(starts, starts.dropFirst() + [filled.count]) {
            let (first, last) = (filled[start].index, filled[end - 1].index)
            Varint.append(UInt64(first - behind - shortestGap), to: &bytes)
            Varint.append(UInt64(last - first), to: &bytes)
            var next = first
            for (index, count) in filled[start..<end] {
                bytes.append(contentsOf: repeatElement(0, count: Int(index - next)))
                Varint.append(count, to: &bytes)
                next = index + 1
            }
            behind = next
        }
    }

    private static func read(
        _ counts: inout BucketCounts, from bytes: inout Slice<UnsafeBufferPointer<UInt8>>
    ) -> Bool {
        guard let runs = Varint.next(&bytes), runs <= bytes.count else { return false }
        var behind = LogarithmicBucket.least.index - shortestGap
        for _ in 0..<runs {
            let limit = UInt64(max(LogarithmicBucket.greatest.index - behind - shortestGap, 0))
            guard let distance = Varint.next(&bytes), let length = Varint.next(&bytes),
                distance <= limit, length <= limit - distance
            else { return false }
            let first = behind + shortestGap + Int32(distance)
            guard readRun(&counts, first...(first + Int32(length)), from: &bytes) else {
                return false
            }
            behind = first + Int32(length) + 1
        }
        return true
    }

    private static func readRun(
        _ counts: inout BucketCounts, _ run: ClosedRange<Int32>,
        from bytes: inout Slice<UnsafeBufferPointer<UInt8>>
    ) -> Bool {
        var empty: Int32 = 0
        for index in run {
            guard let count = Varint.next(&bytes), count <= greatestCount else { return false }
            empty = count == 0 ? empty + 1 : 0
            let isEnd = index == run.lowerBound || index == run.upperBound
            guard empty < (isEnd ? 1 : shortestGap) else { return false }
            counts.add(count, to: LogarithmicBucket(index: index))
            guard counts.total <= greatestCount else { return false }
        }
        return true
    }
}

/// Unsigned LEB128: seven bits per byte, lowest first; the highest bit is set when more bytes follow.
private enum Varint {
    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Removes a number from the front; `nil` when it is truncated, exceeds 64 bits or is not minimal.
    static func next(_ bytes: inout Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            let part = UInt64(byte & 0x7F)
            guard shift < 63 || part < 2 else { return nil }
            number |= part << shift
            if byte < 0x80 { return byte == 0 && shift > 0 ? nil : number }
        }
        return nil
    }
}
