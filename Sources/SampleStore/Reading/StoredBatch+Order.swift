import Samples

extension StoredBatch {
    /// Whether the samples are in the order of time, then of arrival.
    var isOrdered: Bool {
        for row in 1..<max(1, count) where !(position(row - 1) < position(row)) { return false }
        return true
    }

    /// The same samples in the order of time, then of arrival.
    func ordered() -> StoredBatch {
        isOrdered ? self : self[(0..<count).sorted { position($0) < position($1) }]
    }

    /// The same samples in the order of arrival.
    func orderedByArrival() -> StoredBatch {
        for row in 1..<max(1, count) where sequences[row - 1] > sequences[row] {
            return self[(0..<count).sorted { sequences[$0] < sequences[$1] }]
        }
        return self
    }

    func reversed() -> StoredBatch { self[(0..<count).reversed()] }

    /// These samples, in this order.
    subscript(rows: [Int]) -> StoredBatch {
        StoredBatch(
            sequences: rows.map { sequences[$0] },
            samples: SampleBatch(
                times: rows.map { samples.times[$0] },
                columns: samples.columns.map { column in
                    switch column {
                    case .numbers(let values): .numbers(rows.map { values[$0] })
                    case .integers(let values): .integers(rows.map { values[$0] })
                    case .texts(let values): .texts(rows.map { values[$0] })
                    }
                }))
    }

    subscript(rows: Range<Int>) -> StoredBatch {
        guard rows != 0..<count else { return self }
        return StoredBatch(
            sequences: Array(sequences[rows]),
            samples: SampleBatch(
                times: Array(samples.times[rows]), columns: samples.columns.map { $0[rows] }))
    }

    /// The samples that match, in the order they have here.
    func filtered(_ isKept: (Int) -> Bool) -> StoredBatch {
        let rows = (0..<count).filter(isKept)
        return rows.count == count ? self : self[rows]
    }
}

extension StoredBatch {
    /// Nothing, of a sensor with these fields.
    init(of fields: [Field]) {
        self.init(sequences: [], samples: SampleBatch(of: fields))
    }
}

extension SampleQuery.Order {
    func places(_ left: SampleQuery.Position, before right: SampleQuery.Position) -> Bool {
        self == .ascending ? left < right : right < left
    }
}
