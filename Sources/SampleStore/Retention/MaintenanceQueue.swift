import Glibc

/// A queue that runs work on chunks one after the other.
///
/// Plans are made concurrently with writes and are valid only while nothing else modifies chunks,
/// so all work on chunks uses this queue.
struct MaintenanceQueue {
    /// The end of all work in the queue.
    private(set) var end: Task<Void, Never>?

    mutating func add<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) -> Task<Result, any Error> {
        let before = end
        let task = Task {
            await before?.value
            return try await work()
        }
        end = Task { _ = await task.result }
        return task
    }
}

/// The size of the unsealed samples of each layout, and which layouts are being sealed.
struct UnsealedTally {
    private var sizes: [Int64: UnsealedSize]
    private var sealing: Set<Int64> = []

    init(_ sizes: [Int64: UnsealedSize]) {
        self.sizes = sizes
    }

    mutating func add(_ written: [Int64: UnsealedSize]) {
        for (layout, more) in written { sizes[layout, default: UnsealedSize()] += more }
    }

    mutating func remove(_ removed: UnsealedSize, of layout: Int64) {
        sizes[layout, default: UnsealedSize()] -= removed
    }

    /// Bytes in the file.
    func bytes(of layout: Int64) -> Int64 { Int64(sizes[layout]?.bytes ?? 0) }

    /// Marks a layout as being sealed when it has enough samples for a chunk, or too many rows or
    /// bytes.
    ///
    /// - Returns: `false` when sealing is not due, or is already in progress.
    mutating func beginSealing(_ layout: Int64, _ rules: ChunkRules) -> Bool {
        guard let size = sizes[layout],
            size.samples >= rules.chunkSize || size.rows >= rules.unsealedRows
                || size.bytes >= rules.unsealedBytes || size.decoded >= rules.unsealedDecoded
        else { return false }
        return sealing.insert(layout).inserted
    }

    mutating func endSealing(_ layout: Int64) {
        sealing.remove(layout)
    }

    /// Whether sealing is so far behind that it slows down reads, which decode all unsealed rows.
    func isFarBehind(_ layout: Int64, _ rules: ChunkRules) -> Bool {
        guard let size = sizes[layout], sealing.contains(layout) else { return false }
        return size.samples > rules.backlog * rules.chunkSize
            || size.decoded > rules.backlog * rules.unsealedDecoded
    }
}
