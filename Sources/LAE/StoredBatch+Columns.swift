import Samples

extension StoredBatch {
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
