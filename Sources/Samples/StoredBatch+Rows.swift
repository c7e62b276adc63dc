extension StoredBatch {
    /// Nothing, of a sensor with these fields.
    public init(of fields: [Field]) {
        self.init(sequences: [], samples: SampleBatch(of: fields))
    }

    /// These samples, in this order.
    public subscript(rows: [Int]) -> StoredBatch {
        StoredBatch(
            sequences: rows.map { sequences[$0] },
            samples: SampleBatch(
                times: rows.map { samples.times[$0] },
                columns: samples.columns.map { $0[rows] }))
    }

    public subscript(rows: Range<Int>) -> StoredBatch {
        guard rows != 0..<count else { return self }
        return StoredBatch(
            sequences: Array(sequences[rows]),
            samples: SampleBatch(
                times: Array(samples.times[rows]), columns: samples.columns.map { $0[rows] }))
    }

    /// The samples of these rows, which ascend; the same batch when they are all.
    public func keeping(rows: [Int]) -> StoredBatch {
        rows.count == count ? self : self[rows]
    }

    /// The samples of one batch and then those of another.
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
