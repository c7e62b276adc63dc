import Samples

/// Gathers stored samples of the same fields, column by column.
struct BatchBuilder {
    private let fields: [Field]
    private(set) var sequences: [Int64] = []
    private var times: [Timestamp] = []
    private var columns: [Column]

    init(_ fields: [Field]) {
        self.fields = fields
        columns = fields.map { Column(of: $0.kind) }
    }

    var count: Int { sequences.count }

    /// Bytes of the texts from a row on.
    func textBytes(from row: Int = 0) -> Int {
        columns.reduce(0) { $0 + $1.textBytes(of: row..<count) }
    }

    /// - Precondition: the values suit the fields.
    mutating func append(_ stored: StoredSample) {
        sequences.append(stored.sequence)
        times.append(stored.time)
        for (place, value) in stored.values.enumerated() {
            let isSuitable = columns[place].append(value)
            precondition(isSuitable, "a value that does not suit its field")
        }
    }

    /// - Precondition: the columns suit the fields.
    mutating func append(_ batch: StoredBatch, _ rows: Range<Int>) {
        if sequences.isEmpty, rows == 0..<batch.count {
            (sequences, times) = (batch.sequences, batch.samples.times)
            columns = batch.samples.columns
            return
        }
        sequences.append(contentsOf: batch.sequences[rows])
        times.append(contentsOf: batch.samples.times[rows])
        for (place, column) in batch.samples.columns.enumerated() {
            let isSuitable = columns[place].append(column, rows)
            precondition(isSuitable, "a column that does not suit its field")
        }
    }

    mutating func append(_ batch: StoredBatch) {
        append(batch, 0..<batch.count)
    }

    /// What was gathered; nothing is left.
    mutating func take() -> StoredBatch {
        defer { self = BatchBuilder(fields) }
        return StoredBatch(
            sequences: sequences, samples: SampleBatch(times: times, columns: columns))
    }
}
