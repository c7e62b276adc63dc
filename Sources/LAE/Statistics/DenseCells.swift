import Samples

/// Lets through the samples of cells that have enough of them; see `AggregateCells`.
struct DenseCells {
    private let cells: AggregateCells
    /// Samples of the cell that the last page ended in.
    private var held: StoredBatch?

    init(_ cells: AggregateCells) {
        self.cells = cells
    }

    /// - Parameter page: in the order of time, behind the page before.
    /// - Returns: the samples of cells that are over.
    mutating func pass(_ page: StoredBatch) -> StoredBatch {
        guard let last = page.samples.times.last else { return page }
        let whole = held.map { $0.joined(with: page) } ?? page
        let start = cells.floor(last)
        let end = whole.samples.times.firstIndex { $0 >= start } ?? whole.count
        held = whole[end..<whole.count]
        return dense(whole[0..<end])
    }

    /// The samples of the last cell.
    mutating func finish() -> StoredBatch? {
        defer { held = nil }
        return held.map(dense)
    }

    private func dense(_ batch: StoredBatch) -> StoredBatch {
        let times = batch.samples.times
        var rows: [Int] = []
        var start = 0
        while start < times.count {
            let cell = cells.floor(times[start])
            let end =
                times[start...].firstIndex { cells.floor($0) != cell } ?? times.count
            if end - start >= GrantTerms.minimumCount { rows += start..<end }
            start = end
        }
        return batch.keeping(rows: rows)
    }
}
