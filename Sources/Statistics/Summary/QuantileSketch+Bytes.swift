extension QuantileSketch {
    private static let version: UInt8 = 1
    /// A trillion numbers is more than any sensor gives, and no sum of such counts overflows.
    private static let greatestCount: UInt64 = 1 << 40
    /// So many empty buckets cost as much within a run as beginning another one.
    private static let shortestGap: Int32 = 3

    /// A form to store, from which `init(bytes:)` makes an equal sketch.
    ///
    /// One sketch has one form. It is made of varints: whole numbers of seven bits a byte, the lowest
    /// first, the highest bit of a byte set when another one follows, and none longer than it need be.
    ///
    ///     1 byte   1, the version of the form
    ///     varint   how many zeros
    ///     varint   how many runs of buckets of positive numbers
    ///       varint   of the first run: its first bucket, counted from that of the least positive
    ///                double; of another one: how many buckets after the preceding run, less 3
    ///       varint   how many buckets it has, less 1
    ///       varints  the count of each bucket; first and last are not 0, and no three in a row
    ///     varint   how many runs of buckets of negative numbers, by distance from 0
    ///       …        each as above
    ///
    /// An empty sketch has 4 bytes. A bucket takes one byte where it holds less than 128 numbers, two
    /// below 16 384. A sketch of more than 2⁴⁰ numbers has bytes that are not read again.
    public var bytes: [UInt8] {
        var bytes = [Self.version]
        Varint.append(UInt64(zeros), to: &bytes)
        Self.append(positives, to: &bytes)
        Self.append(negatives, to: &bytes)
        return bytes
    }

    /// Reads ``bytes``; `nil` for all that is no sketch's form.
    ///
    /// Takes memory for at most 16 buckets for every three bytes. There is no checksum: what stores the
    /// bytes has one of its own.
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
            let room = UInt64(max(LogarithmicBucket.greatest.index - behind - shortestGap, 0))
            guard let distance = Varint.next(&bytes), let length = Varint.next(&bytes),
                distance <= room, length <= room - distance
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
