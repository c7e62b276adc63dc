import Samples

/// A registered sensor: its layouts, its newest sample, and the listeners for new ones.
struct SensorSeries {
    /// The sensor's row in the file.
    let row: Int64
    private(set) var current: Layout
    /// No accepted sample of the sensor has a higher sequence number.
    private(set) var lastSequence: Int64
    private var layouts: [Int64: Layout]
    /// The layouts of the samples that clients publish, with the current fields, by client.
    private var published: [String: Layout] = [:]
    /// The accepted sample with the latest time, in its layout.
    private var newestEntry: (layout: Int64, stored: StoredSample)?
    /// The times of the last samples that were newer than all before, in order.
    private var recent: [Timestamp] = []
    /// The times of samples that were accepted after ``recent`` last changed, and were not newer.
    private var older: [Timestamp] = []
    private var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    private var nextListener = 0

    /// The projections of all layouts that can be converted to the current fields.
    private var projections: [Int64: Projection] = [:]

    /// - Parameter lastSequence: the last sequence number of the store.
    init(row: Int64, current: Layout, lastSequence: Int64) {
        self.row = row
        self.lastSequence = lastSequence
        self.current = current
        layouts = [:]
        change(to: current, among: [:])
    }

    /// Sets the layout of new samples.
    mutating func change(to layout: Layout, among known: [Int64: Layout]) {
        if layout.fields != current.fields { published = [:] }
        current = layout
        layouts.merge(known) { $1 }
        layouts[layout.id] = layout
        projections = projections(to: layout.fields)
    }

    /// The layout of the samples that a client publishes; `nil` if it has none yet.
    ///
    /// - Parameter client: `nil` for the host.
    func layout(of client: String?) -> Layout? {
        client.map { published[$0] } ?? current
    }

    /// Adds the layout of a client's samples, unless the fields have changed meanwhile.
    mutating func add(_ layout: Layout, of client: String) {
        guard layout.fields == current.fields else { return }
        published[client] = layout
        layouts[layout.id] = layout
        projections = projections(to: layout.fields)
    }

    /// The projections of each layout to these fields; `nil` for the current fields.
    func projections(for fields: [Field]?) -> [Int64: Projection] {
        guard let fields, fields != current.fields else { return projections }
        return projections(to: fields)
    }

    /// The sample with the latest time, of equal times the last accepted, with the current fields.
    var newest: StoredSample? {
        guard let entry = newestEntry else { return nil }
        return projections[entry.layout].map { $0(entry.stored) }
    }

    /// The newest sample with other fields; `nil` when it lacks one of them.
    func newest(with fields: [Field]?) -> StoredSample? {
        guard let fields, fields != current.fields else { return newest }
        return newestEntry.flatMap { entry in
            projections(to: fields)[entry.layout].map { $0(entry.stored) }
        }
    }

    /// The number of times from which intervals are observed.
    static let observedTimes = 9

    /// The longest of the intervals between the last changes of the newest sample; `nil` when there are none.
    var observedInterval: Duration? {
        zip(recent, recent.dropFirst()).map { $0.duration(to: $1) }.max()
    }

    /// Updates the newest sample with accepted samples, and notifies listeners.
    mutating func accept(_ batch: StoredBatch) {
        defer { for listener in listeners.values { listener.yield() } }
        guard let first = batch.samples.times.first else { return }
        lastSequence = max(lastSequence, batch.sequences.last ?? 0)
        var (row, latest) = (0, first)
        for (index, time) in batch.samples.times.enumerated() where time >= latest {
            (row, latest) = (index, time)
        }
        note(latest)
        if let newestEntry, newest != nil, newestEntry.stored.time > latest { return }
        newestEntry = (current.id, batch[row])
    }

    /// Records the time of an accepted sample.
    ///
    /// A time that is not later than the last one is ignored at first. After ``observedTimes`` such
    /// times in a row, the clock is assumed to have been set back, and these times replace the
    /// recent ones.
    private mutating func note(_ time: Timestamp) {
        if let last = recent.last, time <= last {
            older.append(time)
            guard older.count == Self.observedTimes else { return }
            recent = older.sorted()
        } else {
            recent = recent.suffix(Self.observedTimes - 1) + [time]
        }
        older = []
    }

    /// Updates the newest sample with samples from the file, which have the current fields.
    mutating func recall(_ samples: [StoredSample]) {
        for stored in samples {
            let isNewer = newest.map { ($0.time, $0.sequence) < (stored.time, stored.sequence) }
            guard isNewer ?? true else { continue }
            newestEntry = (current.id, stored)
        }
    }

    /// Takes the last times from the file, unless newer ones were accepted meanwhile.
    mutating func recall(times: [Timestamp]) {
        if recent.isEmpty { recent = times.sorted() }
    }

    /// Discards the newest sample, so that ``recall(_:)`` can determine it again.
    mutating func forgetNewest() {
        newestEntry = nil
        (recent, older) = ([], [])
    }

    // MARK: - Listeners

    /// Adds a listener for accepted samples.
    ///
    /// - Returns: its number.
    mutating func addListener(_ listener: AsyncStream<Void>.Continuation) -> Int {
        defer { nextListener += 1 }
        listeners[nextListener] = listener
        return nextListener
    }

    mutating func removeListener(_ number: Int) {
        listeners[number] = nil
    }

    var hasListeners: Bool { !listeners.isEmpty }

    /// Ends the streams of all listeners.
    func finishListeners() {
        for listener in listeners.values { listener.finish() }
    }

    // MARK: - Validation

    /// - Throws: `invalid` when the columns do not match the current fields in number and type.
    func validate(_ samples: SampleBatch, of sensor: SensorID) throws(SampleStoreError) {
        try validate(samples.columns.count, of: sensor)
        for (column, field) in zip(samples.columns, current.fields)
        where !column.fits(field.kind) {
            throw SampleStoreError(
                .invalid, "A value of \(sensor) is not a \(field.kind.rawValue): \(field.name).")
        }
    }

    /// - Throws: `invalid` when `count` is not the number of current fields.
    func validate(_ count: Int, of sensor: SensorID) throws(SampleStoreError) {
        guard count == current.fields.count else {
            throw SampleStoreError(
                .invalid, "\(sensor) has \(current.fields.count) fields; the sample has \(count).")
        }
    }

    // MARK: - Private

    private func projections(to fields: [Field]) -> [Int64: Projection] {
        layouts.compactMapValues { $0.projection(to: fields) }
    }
}
