/// Samples of one sensor, column by column: one column a field, one row a sample.
public struct SampleBatch: Hashable, Sendable {
    public private(set) var times: [Timestamp]
    /// In the order of the sensor's fields; each as long as `times`.
    public private(set) var columns: [Column]

    /// - Precondition: every column has a value for every time.
    public init(times: [Timestamp], columns: [Column]) {
        precondition(columns.allSatisfy { $0.count == times.count }, "columns of unequal length")
        self.times = times
        self.columns = columns
    }

    /// No samples yet, of a sensor with these fields.
    public init(of fields: [Field]) {
        times = []
        columns = fields.map { Column(of: $0.kind) }
    }

    /// - Returns: `nil` when a sample has other values than these fields hold.
    public init?(_ samples: some Sequence<Sample>, of fields: [Field]) {
        self.init(of: fields)
        for sample in samples {
            guard append(sample) else { return nil }
        }
    }

    public var count: Int { times.count }
    public var isEmpty: Bool { times.isEmpty }
    public var indices: Range<Int> { 0..<count }

    public subscript(row: Int) -> Sample {
        Sample(time: times[row], values: columns.map { $0[row] })
    }

    /// Adds a sample at the end.
    ///
    /// - Returns: `false`, and adds nothing, when its values do not suit the columns.
    @discardableResult
    public mutating func append(_ sample: Sample) -> Bool {
        guard sample.values.count == columns.count else { return false }
        for (place, value) in sample.values.enumerated() {
            guard columns[place].append(value) else {
                for earlier in columns.indices.prefix(place) {
                    columns[earlier] = columns[earlier][0..<times.count]
                }
                return false
            }
        }
        times.append(sample.time)
        return true
    }
}

/// Samples as the store holds them, column by column.
public struct StoredBatch: Hashable, Sendable {
    /// The arrival number of each sample; see `StoredSample.sequence`.
    public let sequences: [Int64]
    public let samples: SampleBatch

    /// - Precondition: there is a sequence for every sample.
    public init(sequences: [Int64], samples: SampleBatch) {
        precondition(sequences.count == samples.count, "sequences of unequal length")
        self.sequences = sequences
        self.samples = samples
    }

    public var count: Int { sequences.count }
    public var isEmpty: Bool { sequences.isEmpty }

    public subscript(row: Int) -> StoredSample {
        StoredSample(sequence: sequences[row], sample: samples[row])
    }
}
