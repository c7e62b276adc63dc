import Foundation
import GRDB
import Samples

/// Fresh samples of one layout on their way to the file.
struct PreparedFresh: Sendable {
    let layout: Int64
    let arrivals: ClosedRange<Int64>
    let data: Data
    /// What the row adds to its layout.
    let size: SampleFile.FreshCount

    /// - Precondition: the samples are in the order of arrival, and there is one at least.
    init(_ batch: StoredBatch, _ layout: Int64) {
        self.layout = layout
        arrivals = batch.sequences[0]...batch.sequences[batch.count - 1]
        data = Data(ChunkEncoder.encode(batch))
        size = SampleFile.FreshCount(of: batch, bytes: data.count)
    }

    func insert(_ database: Database) throws {
        try database.cachedStatement(
            sql: "INSERT INTO fresh (first, last, layout, count, data) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [
            arrivals.lowerBound, arrivals.upperBound, layout, size.samples, data,
        ])
    }
}

extension SampleFile {
    /// How much of a layout has come since its last chunk was made.
    struct FreshCount: Sendable {
        var rows = 0
        var samples = 0
        /// Bytes of the rows in the file.
        var bytes = 0
        /// Bytes that the samples take once they are read; of rows of a former session at least those
        /// in the file.
        var decoded = 0

        static func += (left: inout Self, right: Self) {
            left.rows += right.rows
            left.samples += right.samples
            left.bytes += right.bytes
            left.decoded += right.decoded
        }

        static func -= (left: inout Self, right: Self) {
            left.rows -= right.rows
            left.samples -= right.samples
            left.bytes = max(0, left.bytes - right.bytes)
            left.decoded = max(0, left.decoded - right.decoded)
        }
    }
}

extension SampleFile.FreshCount {
    /// Of one row.
    init(of batch: StoredBatch, bytes: Int) {
        self.init(rows: 1, samples: batch.count, bytes: bytes, decoded: batch.size)
    }
}
