import Samples

/// What the store knows of one sensor.
struct SensorSeries {
    /// The sensor's row in the file.
    let row: Int64
    private(set) var current: Layout
    private var layouts: [Int64: Layout]
    /// The accepted sample with the latest time, as it was accepted.
    private var newestEntry: (layout: Int64, stored: StoredSample)?
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextListener = 0

    /// The layouts whose samples can be seen with the current fields.
    private var projections: [Int64: Projection] = [:]

    init(row: Int64, current: Layout) {
        self.row = row
        self.current = current
        layouts = [:]
        change(to: current, among: [:])
    }

    /// The sensor's samples have the fields of `layout` from now on.
    mutating func change(to layout: Layout, among known: [Int64: Layout]) {
        current = layout
        layouts.merge(known) { $1 }
        layouts[layout.id] = layout
        projections = projections(to: layout.fields)
    }

    /// How samples of each layout are read with these fields; `nil` means the current ones.
    func projections(for fields: [Field]?) -> [Int64: Projection] {
        guard let fields, fields != current.fields else { return projections }
        return projections(to: fields)
    }

    /// The sample with the latest time, among equal times the last to arrive, with the current
    /// fields.
    var newest: StoredSample? {
        guard let entry = newestEntry else { return nil }
        return projections[entry.layout].map { $0(entry.stored) }
    }

    /// The same with other fields; `nil` when that sample lacks one of them.
    func newest(with fields: [Field]?) -> StoredSample? {
        guard let fields, fields != current.fields else { return newest }
        return newestEntry.flatMap { entry in
            projections(to: fields)[entry.layout].map { $0(entry.stored) }
        }
    }

    /// Takes accepted samples with the current fields into account.
    mutating func accept(_ batch: StoredBatch) {
        guard let first = batch.samples.times.first else { return }
        var (row, latest) = (0, first)
        for (place, time) in batch.samples.times.enumerated() where time >= latest {
            (row, latest) = (place, time)
        }
        if let newestEntry, newest != nil, newestEntry.stored.time > latest { return }
        newestEntry = (current.id, batch[row])
    }

    /// Takes samples that were accepted before into account, in the current fields.
    mutating func recall(_ samples: [StoredSample]) {
        for stored in samples {
            let isNewer = newest.map { ($0.time, $0.sequence) < (stored.time, stored.sequence) }
            guard isNewer ?? true else { continue }
            newestEntry = (current.id, stored)
        }
    }

    /// Forgets the newest sample; what is accepted or recalled next is it.
    mutating func forgetNewest() {
        newestEntry = nil
    }

    private func projections(to fields: [Field]) -> [Int64: Projection] {
        layouts.compactMapValues { $0.projection(to: fields) }
    }
}
