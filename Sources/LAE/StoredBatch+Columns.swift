import Samples

extension StoredBatch {
    /// Nothing, of a sensor with these fields.
    init(of fields: [Field]) {
        self.init(sequences: [], samples: SampleBatch(of: fields))
    }

    /// - Precondition: both have the same fields.
    func joined(with other: StoredBatch) -> StoredBatch {
        let columns = zip(samples.columns, other.samples.columns).map { left, right in
            var column = left
            column.append(right, 0..<right.count)
            return column
        }
        return StoredBatch(
            sequences: sequences + other.sequences,
            samples: SampleBatch(times: samples.times + other.samples.times, columns: columns))
    }

    /// The first samples, at most so many.
    func prefix(_ limit: Int) -> StoredBatch {
        guard limit < count else { return self }
        return StoredBatch(
            sequences: Array(sequences.prefix(limit)),
            samples: SampleBatch(
                times: Array(samples.times.prefix(limit)),
                columns: samples.columns.map { $0[0..<limit] }))
    }

    /// The samples with only these columns, in this order.
    func keeping(_ columns: [Int]) -> StoredBatch {
        StoredBatch(
            sequences: sequences,
            samples: SampleBatch(
                times: samples.times, columns: columns.map { samples.columns[$0] }))
    }

    /// Some of the samples, in the order given.
    func keeping(rows: [Int]) -> StoredBatch {
        guard rows.count < count else { return self }
        return StoredBatch(
            sequences: rows.map { sequences[$0] },
            samples: SampleBatch(
                times: rows.map { samples.times[$0] },
                columns: samples.columns.map { $0.keeping(rows: rows) }))
    }
}

extension Column {
    fileprivate func keeping(rows: [Int]) -> Column {
        switch self {
        case .numbers(let values): .numbers(rows.map { values[$0] })
        case .integers(let values): .integers(rows.map { values[$0] })
        case .texts(let values): .texts(rows.map { values[$0] })
        }
    }
}
