import Samples
import Statistics

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

    /// The samples that match, in the order they have here.
    func filtered(_ isKept: (Int) -> Bool) -> StoredBatch {
        keeping(rows: (0..<count).filter(isKept))
    }
}

extension SampleQuery.Order {
    func places(_ left: SampleQuery.Position, before right: SampleQuery.Position) -> Bool {
        self == .ascending ? left < right : right < left
    }
}
