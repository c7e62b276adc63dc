import Samples

/// The accepted samples that are not yet in the file, and the sequence numbers.
struct WriteBuffer {
    /// Accepted samples in the order of their sequence numbers.
    private(set) var batches: [UnwrittenBatch] = []
    /// The number of samples in ``batches``.
    private(set) var count = 0
    /// Samples that were dropped because the buffer was full.
    private(set) var dropped = 0
    private(set) var lastAccepted: Int64
    /// The last sequence number that is in a row.
    private(set) var lastAcknowledged: Int64
    /// The last sequence number that is in a row or in the journal.
    private(set) var lastCommitted: Int64
    private(set) var lastSynced: Int64 = 0
    /// Whether numbers were assigned to samples that will not be written.
    private(set) var hasForgottenNumbers = false

    /// - Parameter last: the last sequence number of the session before.
    init(after last: Int64) {
        (lastAccepted, lastAcknowledged, lastCommitted) = (last, last, last)
    }

    /// Assigns sequence numbers and buffers the samples.
    ///
    /// - Parameter layout: a layout of the sensor with its current fields.
    /// - Returns: the samples with their numbers; `nil` when the buffer is full and they were dropped.
    mutating func accept(
        _ samples: SampleBatch, of sensor: SensorSeries, in layout: Layout,
        key: (key: BatchKey, at: Timestamp)?
    ) -> StoredBatch? {
        // Includes the numbers of forgotten samples: the next session skips at most `bufferLimit`
        // numbers.
        guard lastAccepted - lastAcknowledged + Int64(samples.count) <= SampleStore.bufferLimit
        else {
            dropped += samples.count
            return nil
        }
        let first = lastAccepted + 1
        lastAccepted += Int64(samples.count)
        let batch = StoredBatch(sequences: Array(first...lastAccepted), samples: samples)
        var unwritten = UnwrittenBatch(sensor: sensor.row, layout: layout, batch: batch)
        unwritten.key = key.map { key, time in
            let receipt = BatchReceipt(accepted: samples.count, last: lastAccepted)
            return KeyedBatch(key: key, receipt: receipt, time: time)
        }
        batches.append(unwritten)
        count += samples.count
        return batch
    }

    /// The approximate size of ``batches`` in memory, in bytes.
    var size: Int {
        // The columns of a batch are arrays of their own, which take more than a single sample.
        batches.reduce(0) { $0 + $1.batch.decodedSize + 64 * (2 + $1.layout.fields.count) }
    }

    /// The batch with an idempotency key, if it is still in the buffer.
    func batch(with key: BatchKey, of sensor: Int64) -> KeyedBatch? {
        batches.last { batch in
            batch.sensor == sensor && batch.key?.key.client == key.client
                && batch.key?.key.name == key.name
        }?.key
    }

    /// The samples of a sensor, as projections see them.
    func samples(
        of sensor: Int64, _ fields: [Field], _ projections: [Int64: Projection],
        where isWanted: (SampleQuery.Position) -> Bool
    ) -> StoredBatch {
        var builder = BatchBuilder(fields)
        for entry in batches where entry.sensor == sensor {
            guard let projection = projections[entry.layout.id] else { continue }
            builder.append(projection(entry.batch).filtered { isWanted(entry.batch.position($0)) })
        }
        return builder.take()
    }

    /// Removes the first batches, which are now in the file.
    mutating func acknowledge(_ written: [UnwrittenBatch], upTo last: Int64) {
        batches.removeFirst(written.count)
        count -= written.reduce(0) { $0 + $1.batch.count }
        lastAcknowledged = last
        lastCommitted = max(lastCommitted, last)
    }

    /// The batches that are neither in rows nor in the journal.
    var uncommitted: [UnwrittenBatch] {
        batches.filter { ($0.batch.sequences.last ?? .max) > lastCommitted }
    }

    /// Whether all batches can be in the journal, which has no idempotency keys.
    var fitsJournal: Bool { batches.allSatisfy { $0.key == nil } }

    /// Records that the first batches are in the journal, and joins those of each sensor, so that reads
    /// have few to combine.
    mutating func commit(_ number: Int, upTo last: Int64) {
        lastCommitted = last
        var joined: [UnwrittenBatch] = []
        for (_, entries) in Dictionary(grouping: batches[..<number], by: \.sensor) {
            guard let first = entries.first,
                entries.allSatisfy({ $0.layout.id == first.layout.id })
            else {
                joined += entries
                continue
            }
            var builder = BatchBuilder(first.layout.fields)
            for entry in entries { builder.append(entry.batch) }
            joined.append(
                UnwrittenBatch(sensor: first.sensor, layout: first.layout, batch: builder.take()))
        }
        batches.replaceSubrange(..<number, with: joined)
    }

    /// Records that of the batches in memory only those in rows are in the file.
    mutating func leaveJournal() {
        lastCommitted = lastAcknowledged
    }

    /// Records that the file and its log were flushed to the disk.
    mutating func sync(upTo last: Int64) {
        lastSynced = last
    }

    /// Records that the file has the numbers of forgotten samples.
    mutating func raiseFloor() {
        hasForgottenNumbers = false
    }

    /// Removes the samples of a sensor in a range, up to a sequence number.
    ///
    /// - Parameter client: the client whose idempotency keys are removed with the last sample of
    ///   their batch.
    /// - Returns: the number of samples.
    mutating func forget(
        _ sensor: Int64, _ range: TimeRange, through last: Int64, releasingKeysOf client: String?
    ) -> Int {
        let before = count
        batches = batches.compactMap { entry in
            guard entry.sensor == sensor else { return entry }
            let (times, sequences) = (entry.batch.samples.times, entry.batch.sequences)
            let rest = entry.batch.filtered {
                !range.contains(times[$0]) || sequences[$0] > last
            }
            count -= entry.batch.count - rest.count
            let isReleased = entry.key.map { $0.key.client == client } ?? true
            guard !rest.isEmpty || !isReleased else { return nil }
            // The keys of other clients are kept: a repeated request must not restore forgotten
            // samples.
            return UnwrittenBatch(
                sensor: entry.sensor, layout: entry.layout, batch: rest, key: entry.key)
        }
        if count < before { hasForgottenNumbers = true }
        return before - count
    }
}
