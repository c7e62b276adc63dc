import Foundation
import Samples

/// Samples of one layout seen as samples with other fields: chosen by name, in another order.
struct Projection: Sendable {
    struct Column: Sendable {
        /// The field's index in the layout.
        let place: Int
        let becomesNumber: Bool
    }

    let layout: Layout
    let columns: [Column]
    let isIdentity: Bool

    func callAsFunction(_ stored: StoredSample) -> StoredSample {
        guard !isIdentity else { return stored }
        let values = columns.map { column in
            let value = stored.values[column.place]
            guard column.becomesNumber, let number = value.double else { return value }
            return .number(number)
        }
        return StoredSample(
            sequence: stored.sequence, sample: Sample(time: stored.time, values: values))
    }

    func callAsFunction(_ batch: StoredBatch) -> StoredBatch {
        guard !isIdentity else { return batch }
        return StoredBatch(
            sequences: batch.sequences,
            samples: SampleBatch(
                times: batch.samples.times,
                columns: columns.map { $0.seen(batch.samples.columns[$0.place]) }))
    }
}

extension Projection.Column {
    func seen(_ column: Samples.Column) -> Samples.Column {
        guard becomesNumber, case .integers(let values) = column else { return column }
        return .numbers(values.map(Double.init))
    }
}
