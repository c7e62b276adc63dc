import Samples

/// The values of one column in memory, for as long as its batch is held.
enum Cells {
    case numbers(UnsafePointer<Double>)
    case integers(UnsafePointer<Int64>)
    case texts([String])
}

extension SampleBatch {
    /// Runs `body` with the times and the columns in memory.
    func withCells(
        _ columns: ArraySlice<Column>? = nil, _ cells: [Cells] = [],
        _ body: (UnsafePointer<Timestamp>, [Cells]) -> Void
    ) {
        let rest = columns ?? self.columns[...]
        guard let first = rest.first else {
            return times.withUnsafeBufferPointer { times in
                if let base = times.baseAddress { body(base, cells) }
            }
        }
        switch first {
        case .numbers(let values):
            values.withUnsafeBufferPointer { values in
                guard let base = values.baseAddress else { return }
                withCells(rest.dropFirst(), cells + [.numbers(base)], body)
            }
        case .integers(let values):
            values.withUnsafeBufferPointer { values in
                guard let base = values.baseAddress else { return }
                withCells(rest.dropFirst(), cells + [.integers(base)], body)
            }
        case .texts(let values):
            withCells(rest.dropFirst(), cells + [.texts(values)], body)
        }
    }
}
