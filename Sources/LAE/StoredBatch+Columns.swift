import Samples

extension StoredBatch {
    /// The samples with only these columns, in this order.
    func keeping(_ columns: [Int]) -> StoredBatch {
        StoredBatch(
            sequences: sequences,
            samples: SampleBatch(
                times: samples.times, columns: columns.map { samples.columns[$0] }))
    }
}
