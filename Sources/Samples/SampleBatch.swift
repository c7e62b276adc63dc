/// Samples of one sensor in columns: one column for each field, one row for each sample.
///
/// ```swift
/// let batch = SampleBatch(
///     times: [start, start.advanced(by: .seconds(1))],
///     columns: [.numbers([21.5, 21.6]), .texts(["off", "heating"])])
/// batch[1].values  // [.number(21.6), .text("heating")]
/// ```
public struct SampleBatch: Hashable, Sendable {
    /// The time of each sample, in any order.
    public private(set) var times: [Timestamp]
    /// One column for each field of the sensor, in its order; each as long as `times`.
    public private(set) var columns: [Column]

    /// - Precondition: every column has a value for every time.
    public init(times: [Timestamp], columns: [Column]) {
        precondition(columns.allSatisfy { $0.count == times.count }, "columns of unequal length")
        self.times = times
        self.columns = columns
    }

    /// An empty batch for a sensor with these fields.
    public init(of fields: [Field]) {
        times = []
        columns = fields.map { Column(of: $0.kind) }
    }

    /// Converts samples to columns.
    ///
    /// - Returns: `nil` when a sample does not have exactly one value of the right type for each field.
    public init?(_ samples: some Sequence<Sample>, of fields: [Field]) {
        self.init(of: fields)
        for sample in samples {
            guard append(sample) else { return nil }
        }
    }

    /// The number of samples.
    public var count: Int { times.count }
    /// Whether there are no samples.
    public var isEmpty: Bool { times.isEmpty }
    /// The valid rows: `0..<count`.
    public var indices: Range<Int> { 0..<count }

    /// The sample in a row; traps outside ``indices``.
    public subscript(row: Int) -> Sample {
        Sample(time: times[row], values: columns.map { $0[row] })
    }

    /// Appends a sample.
    ///
    /// - Returns: `false`, and adds nothing, when its values do not match the columns in number and type.
    @discardableResult
    public mutating func append(_ sample: Sample) -> Bool {
        guard sample.values.count == columns.count else { return false }
        for (index, value) in sample.values.enumerated() {
            guard columns[index].append(value) else {
                for earlier in columns.indices.prefix(index) {
                    columns[earlier] = columns[earlier][0..<times.count]
                }
                return false
            }
        }
        times.append(sample.time)
        return true
    }

    /// UTF-8 bytes of all texts in a range of rows.
    public func textBytes(of rows: Range<Int>) -> Int {
        columns.reduce(0) { $0 + $1.textBytes(of: rows) }
    }

    /// UTF-8 bytes of all texts.
    public var textBytes: Int { textBytes(of: indices) }
}

/// A batch of samples with their sequence numbers.
public struct StoredBatch: Hashable, Sendable {
    /// The sequence number of each sample; see ``StoredSample/sequence``.
    public let sequences: [Int64]
    /// The samples, in columns.
    public let samples: SampleBatch

    /// - Precondition: there is a sequence number for every sample.
    public init(sequences: [Int64], samples: SampleBatch) {
        precondition(sequences.count == samples.count, "sequences of unequal length")
        self.sequences = sequences
        self.samples = samples
    }

    /// An empty batch for a sensor with these fields.
    public init(of fields: [Field]) {
        self.init(sequences: [], samples: SampleBatch(of: fields))
    }

    /// The number of samples.
    public var count: Int { sequences.count }
    /// Whether there are no samples.
    public var isEmpty: Bool { sequences.isEmpty }

    /// The sample in a row; traps outside `0..<count`.
    public subscript(row: Int) -> StoredSample {
        StoredSample(sequence: sequences[row], sample: samples[row])
    }

    /// The position of the sample in a row.
    public func position(_ row: Int) -> SampleQuery.Position {
        SampleQuery.Position(time: samples.times[row], sequence: sequences[row])
    }

    /// The samples in `rows`, in the order given.
    public subscript(rows: [Int]) -> StoredBatch {
        StoredBatch(
            sequences: rows.map { sequences[$0] },
            samples: SampleBatch(
                times: rows.map { samples.times[$0] },
                columns: samples.columns.map { $0[rows] }))
    }

    /// The samples in a range of rows.
    public subscript(rows: Range<Int>) -> StoredBatch {
        guard rows != 0..<count else { return self }
        return StoredBatch(
            sequences: Array(sequences[rows]),
            samples: SampleBatch(
                times: Array(samples.times[rows]), columns: samples.columns.map { $0[rows] }))
    }

    /// The samples in `rows`, which must ascend; returns `self` without a copy when these are all rows.
    public func keeping(rows: [Int]) -> StoredBatch {
        rows.count == count ? self : self[rows]
    }

    /// The samples of this batch, followed by those of another.
    ///
    /// - Precondition: both have the same fields.
    public func joined(with other: StoredBatch) -> StoredBatch {
        let columns = zip(samples.columns, other.samples.columns).map { left, right in
            var column = left
            column.append(right, 0..<right.count)
            return column
        }
        return StoredBatch(
            sequences: sequences + other.sequences,
            samples: SampleBatch(times: samples.times + other.samples.times, columns: columns))
    }
}

/// The idempotency key of a batch: a batch that is sent again with the same key is not stored twice.
public struct BatchKey: Hashable, Sendable {
    /// The client that chose the key; each client has its own keys.
    public let client: String
    /// The key as the client sent it.
    public let name: String
    /// A hash of the content, which detects a key that is reused for another batch.
    public let digest: [UInt8]

    /// - Parameter digest: a hash of the batch as the client sent it.
    public init(client: String, name: String, digest: [UInt8]) {
        self.client = client
        self.name = name
        self.digest = digest
    }
}

/// The result of accepting a batch.
public struct BatchReceipt: Hashable, Sendable {
    /// The number of samples that were accepted.
    public let accepted: Int
    /// The sequence number of the last one.
    public let last: Int64
    /// Whether the batch was accepted before, under the same idempotency key, and is not stored again.
    public var isRepeated = false

    /// A receipt of a batch that is new.
    public init(accepted: Int, last: Int64) {
        self.accepted = accepted
        self.last = last
    }
}
