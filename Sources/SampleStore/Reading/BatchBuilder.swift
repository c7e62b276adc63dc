import Samples
import Statistics

/// Collects stored samples with the same fields in columns.
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

    /// UTF-8 bytes of the texts, starting at a row.
    func textBytes(from row: Int = 0) -> Int {
        columns.reduce(0) { $0 + $1.textBytes(of: row..<count) }
    }

    /// - Precondition: the values match the fields.
    mutating func append(_ stored: StoredSample) {
        sequences.append(stored.sequence)
        times.append(stored.time)
        for (index, value) in stored.values.enumerated() {
            let matches = columns[index].append(value)
            precondition(matches, "the value does not match its field")
        }
    }

    /// - Precondition: the columns match the fields.
    mutating func append(_ batch: StoredBatch, _ rows: Range<Int>) {
        if sequences.isEmpty, rows == 0..<batch.count {
            (sequences, times) = (batch.sequences, batch.samples.times)
            columns = batch.samples.columns
            return
        }
        sequences.append(contentsOf: batch.sequences[rows])
        times.append(contentsOf: batch.samples.times[rows])
        for (index, column) in batch.samples.columns.enumerated() {
            let matches = columns[index].append(column, rows)
            precondition(matches, "the column does not match its field")
        }
    }

    mutating func append(_ batch: StoredBatch) {
        append(batch, 0..<batch.count)
    }

    /// Returns the collected samples and starts over.
    mutating func take() -> StoredBatch {
        defer { self = BatchBuilder(fields) }
        return StoredBatch(
            sequences: sequences, samples: SampleBatch(times: times, columns: columns))
    }
}

extension StoredBatch {
    /// Whether the samples are ordered by time, then sequence number.
    var isOrdered: Bool {
        for row in 1..<max(1, count) where !(position(row - 1) < position(row)) { return false }
        return true
    }

    /// The samples ordered by time, then sequence number.
    func ordered() -> StoredBatch {
        isOrdered ? self : self[(0..<count).sorted { position($0) < position($1) }]
    }

    /// The samples ordered by sequence number.
    func orderedByArrival() -> StoredBatch {
        for row in 1..<max(1, count) where sequences[row - 1] > sequences[row] {
            return self[(0..<count).sorted { sequences[$0] < sequences[$1] }]
        }
        return self
    }

    func reversed() -> StoredBatch { self[(0..<count).reversed()] }

    /// The rows for which `isKept` returns `true`, in the same order.
    func filtered(_ isKept: (Int) -> Bool) -> StoredBatch {
        keeping(rows: (0..<count).filter(isKept))
    }
}

extension SampleQuery.Order {
    /// Whether `left` comes before `right` in this order.
    func isBefore(_ left: SampleQuery.Position, _ right: SampleQuery.Position) -> Bool {
        self == .ascending ? left < right : right < left
    }
}

extension StoredBatch {
    /// The maximum number of bytes of text in one row or chunk: rows and chunks are decoded and
    /// pruned as a whole.
    private static let textLimit = 4 << 20

    /// The approximate size of the samples in memory, in bytes.
    var decodedSize: Int {
        samples.columns.reduce(count * 16) { size, column in
            guard case .texts = column else { return size + 8 * count }
            return size + 16 * count + column.textBytes(of: 0..<count)
        }
    }

    /// Splits the samples into parts of at most `limit` samples and, unless it is a single sample, `textBytes`
    /// bytes of text.
    func parts(ofAtMost limit: Int, textBytes: Int = textLimit) -> [StoredBatch] {
        guard !isEmpty else { return [] }
        let isAnyText = samples.textBytes > 0
        guard count > limit || isAnyText else { return [self] }
        var parts: [StoredBatch] = []
        var (start, bytes) = (0, 0)
        for row in 0..<count {
            let size = isAnyText ? samples.textBytes(of: row..<row + 1) : 0
            if row - start == limit || (row > start && bytes + size > textBytes) {
                parts.append(self[start..<row])
                (start, bytes) = (row, 0)
            }
            bytes += size
        }
        return parts + [self[start..<count]]
    }
}

extension Range<Int> {
    /// The first index for which `isBehind` holds; the end if there is none.
    ///
    /// If it holds for an index, it must hold for all later ones.
    func partitioningIndex(where isBehind: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
