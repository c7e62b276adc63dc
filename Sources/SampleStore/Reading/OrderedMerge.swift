import Samples
import Statistics

/// Brings samples from several places into one order, in stretches and not one by one.
struct OrderedMerge {
    /// Batches in the query's order, one after the other.
    struct Source {
        private var batch: StoredBatch
        private var row = 0
        private var refill: () throws -> StoredBatch?

        init(_ batch: StoredBatch) {
            self.batch = batch
            refill = { nil }
        }

        init(_ refill: @escaping () throws -> StoredBatch?, of fields: [Field]) throws {
            self.refill = refill
            batch = try refill() ?? StoredBatch(of: fields)
        }

        var head: SampleQuery.Position? { row < batch.count ? batch.position(row) : nil }

        /// Moves samples that come before `bound` over to `builder`.
        mutating func move(
            to builder: inout BatchBuilder, before bound: SampleQuery.Position?, atMost limit: Int,
            _ order: SampleQuery.Order
        ) throws {
            var end = min(batch.count, row + min(limit, batch.count))
            if let bound, !order.places(batch.position(end - 1), before: bound) {
                var (low, high) = (row, end)
                while low < high {
                    let middle = (low + high) / 2
                    if order.places(batch.position(middle), before: bound) {
                        low = middle + 1
                    } else {
                        high = middle
                    }
                }
                // Of two samples at one place, which only damage makes, one has to come first.
                end = max(low, row + 1)
            }
            builder.append(batch, row..<end)
            row = end
            if row == batch.count, let more = try refill() { (batch, row) = (more, 0) }
        }
    }

    static func merge(
        _ sources: [Source], _ query: SampleQuery, of fields: [Field]
    ) throws -> StoredBatch {
        let (order, limit) = (query.order, query.limit)
        var sources = sources
        var builder = BatchBuilder(fields)
        var textBytes = 0
        while builder.count < limit, textBytes < query.textBytes ?? .max {
            let before = builder.count
            let heads = sources.indices.compactMap { place in
                sources[place].head.map { (place, $0) }
            }.sorted { order.places($0.1, before: $1.1) }
            guard let (place, _) = heads.first else { break }
            try sources[place].move(
                to: &builder, before: heads.dropFirst().first?.1,
                atMost: limit - builder.count, order)
            if query.textBytes != nil { textBytes += builder.textBytes(from: before) }
        }
        return builder.take()
    }
}
