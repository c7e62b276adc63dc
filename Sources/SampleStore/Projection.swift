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

    func callAsFunction(_ values: [Value]) -> [Value] {
        guard !isIdentity else { return values }
        return columns.map { column in
            let value = values[column.place]
            guard column.becomesNumber, let number = value.double else { return value }
            return .number(number)
        }
    }

    func callAsFunction(_ stored: StoredSample) -> StoredSample {
        guard !isIdentity else { return stored }
        let sample = Sample(time: stored.time, values: self(stored.values))
        return StoredSample(sequence: stored.sequence, sample: sample)
    }
}
