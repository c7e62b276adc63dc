public import Samples

/// Samples of every sensor in one SQLite file.
///
/// A sample is *accepted* when `append` returns: every read from then on sees it. It is
/// *acknowledged* when `flush` returns: it then survives the death of the process. Order is by time,
/// then by arrival. The actor owns the file; no other code knows its format.
///
/// When the fields of a sensor change, its older samples stay. A read matches them to the fields it
/// asks for by name and unit: columns are reordered, those not asked for are left out, an integer
/// becomes a number, states and texts stand for each other. A sample that lacks a field that is
/// asked for is not read; it is again when the sensor has its former fields.
public actor SampleStore {
    /// Accepted samples that may wait for the file before further ones are refused.
    public static let bufferLimit = 200_000

    let file: SampleFile
    var series: [SensorID: SensorSeries] = [:]
    private var refused: Set<SensorID> = []
    var pending: [SampleFile.Entry] = []
    private var flight: Flight?
    private var lastAccepted: Int64
    private var lastAcknowledged: Int64
    private var lastSynchronised: Int64
    private var hasFailedToSynchronise = false
    var waiting = 0
    private var freshCounts: [Int64: SampleFile.FreshCount]
    var queue = MaintenanceQueue()
    var upkeep: Upkeep
    /// Layouts whose fresh samples are about to be packed.
    private var sealing: Set<Int64> = []
    var damage: [SensorID: [TimeRange]] = [:]
    private let numbering: SampleFile.Numbering
    private var dropped = 0
    private var writes = 0
    private var failure: String?

    /// A transaction that is being written.
    private struct Flight {
        let write: Task<Void, any Error>
        let isSynchronised: Bool
    }

    /// What of an accepted sample is to last when `flush` returns.
    public enum Durability: Sendable {
        /// It survives the death of the process.
        case process
        /// It survives a power cut, as far as the disk keeps its word.
        case power
    }

    /// Opens the file, makes it when it is not there, and brings its schema up to date.
    public init(path: String) async throws(SampleStoreError) {
        try await self.init(path: path, rules: .standard)
    }

    /// The same with chunks of another size, or other limits.
    package init(
        path: String, rules: ChunkRules, space: SpaceRules = .standard
    ) async throws(SampleStoreError) {
        do {
            file = try SampleFile(path: path, rules: rules, space: space)
            numbering = try await file.begin(reserve: Int64(Self.bufferLimit))
            lastAcknowledged = numbering.last
            lastAccepted = numbering.last
            lastSynchronised = 0
            freshCounts = try await file.freshCounts()
            upkeep = try await Upkeep(of: file)
        } catch {
            throw SampleStoreError(wrapping: error, while: "opening \(path)")
        }
    }

    /// Makes the sensor known, with the fields that its samples have from now on.
    public func register(_ sensor: SensorID, fields: [Field]) async throws(SampleStoreError) {
        if series[sensor]?.current.fields == fields { return }
        do {
            let (row, layout) = try await file.register(sensor, fields: fields)
            let layouts = try await file.layouts(of: row)
            var past = SensorSeries(row: row, current: layout)
            past.change(to: layout, among: layouts)
            let latest = SampleQuery(sensor: sensor, order: .descending, limit: 1)
            let newest = try await newest(latest, of: past)
            // Another registration may have come first while this one waited.
            var known = series[sensor] ?? past
            known.change(to: layout, among: layouts)
            known.recall(newest)
            series[sensor] = known
        } catch {
            throw SampleStoreError(wrapping: error, while: "registering \(sensor)")
        }
    }

    /// Accepts samples, all or none.
    ///
    /// - Returns: the arrival number of the last one; `nil` when the sensor is not admitted, or when
    ///   the buffer is full and the samples were counted as dropped.
    /// - Throws: `invalid` when the sensor is not registered or a value does not fit its field.
    @discardableResult
    public func append(
        _ samples: [Sample], to sensor: SensorID
    ) throws(SampleStoreError) -> Int64? {
        let known = try known(sensor)
        for sample in samples {
            guard sample.values.count == known.current.fields.count else {
                throw Self.unsuitable(sensor, known.current, sample.values.count)
            }
        }
        guard let batch = SampleBatch(samples, of: known.current.fields) else {
            throw SampleStoreError(.invalid, "A value of \(sensor) is not of its field's kind.")
        }
        return try append(batch, to: sensor)
    }

    /// Accepts samples, all or none; as `append(_:to:)` of single samples, and many times faster.
    ///
    /// - Parameter named: a key that `receipt` knows from now on, as lastingly as the samples.
    @discardableResult
    public func append(
        _ samples: SampleBatch, to sensor: SensorID, named: (key: BatchKey, at: Timestamp)? = nil
    ) throws(SampleStoreError) -> Int64? {
        var known = try known(sensor)
        try check(samples, against: known.current, of: sensor)
        guard !refused.contains(sensor) else { return nil }
        guard !samples.isEmpty else { return lastAccepted }
        guard waiting + samples.count <= Self.bufferLimit else {
            dropped += samples.count
            return nil
        }
        let first = lastAccepted + 1
        lastAccepted += Int64(samples.count)
        let batch = StoredBatch(sequences: Array(first...lastAccepted), samples: samples)
        var entry = SampleFile.Entry(sensor: known.row, layout: known.current, batch: batch)
        entry.named = named.map { key, time in
            let receipt = BatchReceipt(accepted: samples.count, last: lastAccepted)
            return SampleFile.NamedBatch(key: key, receipt: receipt, noted: time)
        }
        pending.append(entry)
        waiting += samples.count
        known.accept(batch)
        series[sensor] = known
        for listener in known.listeners.values { listener.yield() }
        return lastAccepted
    }

    /// What was answered to the batch that a key was given to, and the digest of that batch; `nil`
    /// when the key is not known, or no longer.
    public func receipt(
        of key: BatchKey, to sensor: SensorID, at time: Timestamp
    ) async throws(SampleStoreError) -> (digest: [UInt8], receipt: BatchReceipt)? {
        let known = try known(sensor)
        let waiting = pending.last { entry in
            entry.sensor == known.row && entry.named?.key.client == key.client
                && entry.named?.key.name == key.name
        }
        if let named = waiting?.named { return (named.key.digest, named.receipt) }
        do {
            return try await file.namedBatch(key, of: known.row, at: time)
        } catch {
            throw SampleStoreError(wrapping: error, while: "looking for a batch")
        }
    }

    /// Whether samples of a sensor are accepted; when this returns, no further one is that should not.
    public func admit(_ isAdmitted: Bool, _ sensor: SensorID) {
        if isAdmitted {
            refused.remove(sensor)
        } else {
            refused.insert(sensor)
        }
    }

    /// Returns when every sample accepted before the call survives the death of the process, or a
    /// power cut.
    ///
    /// Calls that come while a transaction is written share the next one.
    public func flush(_ durability: Durability = .process) async throws(SampleStoreError) {
        let target = lastAccepted
        while (durability == .process ? lastAcknowledged : lastSynchronised) < target {
            if let flight, flight.isSynchronised || durability == .process || !pending.isEmpty {
                // What this one does not carry, the next one does.
                let result = await flight.write.result
                let reached = durability == .process ? lastAcknowledged : lastSynchronised
                if case .failure(let error) = result, reached < target {
                    throw SampleStoreError(wrapping: error, while: "writing samples")
                }
                continue
            }
            do {
                try await beginFlight(isSynchronised: durability == .power).value
            } catch {
                throw SampleStoreError(wrapping: error, while: "writing samples")
            }
        }
    }

    /// Yields after samples of the sensor were accepted; several arrivals may be told as one.
    public func arrivalSignals(of sensor: SensorID) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard let number = series[sensor]?.nextListener else {
            continuation.finish()
            return stream
        }
        series[sensor]?.nextListener += 1
        series[sensor]?.listeners[number] = continuation
        continuation.onTermination = { _ in
            Task { await self.forget(listener: number, of: sensor) }
        }
        return stream
    }

    /// The arrival number of the last accepted sample.
    public var lastSequence: Int64 { lastAccepted }

    public var status: StoreStatus {
        StoreStatus(
            accepted: lastAccepted - numbering.skipped, acknowledged: lastAcknowledged,
            buffered: waiting, dropped: dropped, writes: writes, bytes: file.size(),
            failure: failure)
    }

    /// The collection level that was kept for each sensor, as text the caller understands.
    public func keptLevels() async throws(SampleStoreError) -> [String: String] {
        do {
            return try await file.settings()
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading the collection levels")
        }
    }

    /// Keeps a level for all of the sensors or for none.
    public func keep(level: String, of sensors: [SensorID]) async throws(SampleStoreError) {
        do {
            try await file.keep(setting: level, for: sensors.map(\.description))
        } catch {
            throw SampleStoreError(wrapping: error, while: "keeping a collection level")
        }
    }

    /// Acknowledges everything, ends every stream and lets go of the file.
    ///
    /// - Throws: what kept accepted samples from being written; the file is let go of all the same.
    public func close() async throws(SampleStoreError) {
        var failure: SampleStoreError?
        do {
            try await flush()
        } catch {
            failure = error
        }
        for known in series.values {
            for listener in known.listeners.values { listener.finish() }
        }
        upkeep.isClosing = true
        await queue.end?.value
        do {
            try await file.close(endingAt: pending.isEmpty ? lastAccepted : nil)
        } catch {
            failure = failure ?? SampleStoreError(wrapping: error, while: "closing")
        }
        if let failure { throw failure }
    }

    // MARK: - Private

    private func known(_ sensor: SensorID) throws(SampleStoreError) -> SensorSeries {
        guard let known = series[sensor] else {
            throw SampleStoreError(.invalid, "The sensor \(sensor) is not registered.")
        }
        return known
    }

    private func check(
        _ samples: SampleBatch, against layout: Layout, of sensor: SensorID
    ) throws(SampleStoreError) {
        guard samples.columns.count == layout.fields.count else {
            throw Self.unsuitable(sensor, layout, samples.columns.count)
        }
        for (column, field) in zip(samples.columns, layout.fields) where !column.fits(field.kind) {
            throw SampleStoreError(
                .invalid, "A value of \(sensor) is not a \(field.kind.rawValue): \(field.name).")
        }
    }

    private static func unsuitable(
        _ sensor: SensorID, _ layout: Layout, _ count: Int
    ) -> SampleStoreError {
        SampleStoreError(
            .invalid, "\(sensor) has \(layout.fields.count) fields; the sample has \(count).")
    }

    /// Writes all that is pending in one transaction; later arrivals go with the next flight.
    private func beginFlight(isSynchronised: Bool) -> Task<Void, any Error> {
        let batch = pending
        let last = lastAccepted
        let write = Task {
            defer { self.flight = nil }
            // A source that brings more than the store may hold waits for room.
            _ = await upkeep.clearing?.result
            do {
                let written = try await file.write(batch, numbering)
                // They are in the file from here on, also when the disk fails to keep them.
                acknowledge(batch, upTo: last, written.counts)
                if written.used > file.space.file(within: upkeep.budget)
                    || file.logSize() > file.space.log(within: upkeep.budget)
                {
                    keepToBudget()
                }
                if isSynchronised {
                    let hadFailed = hasFailedToSynchronise
                    hasFailedToSynchronise = true
                    try await file.synchronise(hasFailed: hadFailed)
                    hasFailedToSynchronise = false
                    lastSynchronised = last
                }
            } catch {
                let wrapped = SampleStoreError(wrapping: error, while: "writing samples")
                failure = wrapped.message
                if wrapped.code == .full { keepToBudget() }
                throw error
            }
            failure = nil
            for entry in batch { sealIfDue(entry.layout) }
        }
        flight = Flight(write: write, isSynchronised: isSynchronised)
        return write
    }

    private func acknowledge(
        _ batch: [SampleFile.Entry], upTo last: Int64, _ written: [Int64: SampleFile.FreshCount]
    ) {
        for (layout, more) in written {
            freshCounts[layout, default: SampleFile.FreshCount()].rows += more.rows
            freshCounts[layout, default: SampleFile.FreshCount()].samples += more.samples
        }
        if !batch.isEmpty { writes += 1 }
        pending.removeFirst(batch.count)
        waiting -= batch.reduce(0) { $0 + $1.batch.count }
        lastAcknowledged = last
    }

    /// Makes chunks of what is fresh once that is enough for one, or lies in too many rows.
    private func sealIfDue(_ layout: Layout) {
        guard let fresh = freshCounts[layout.id],
            fresh.samples >= file.rules.chunkSize || fresh.rows >= file.rules.freshRows,
            sealing.insert(layout.id).inserted
        else { return }
        _ = queue.add { try await self.sealDue(layout) }
    }

    private func sealDue(_ layout: Layout) async throws {
        defer { sealing.remove(layout.id) }
        do {
            _ = try await seal(layout)
        } catch {
            failure = SampleStoreError(wrapping: error, while: "packing samples").message
            throw error
        }
    }

    /// Makes chunks of all fresh samples of a layout, as the next work on chunks.
    func sealAll(_ layout: Layout) async throws {
        while try await queue.add({ try await self.seal(layout) }).value {}
    }

    /// Only for work that nothing else on chunks goes on beside.
    ///
    /// - Returns: whether there was anything to pack.
    func seal(_ layout: Layout) async throws -> Bool {
        let sealed = try await file.seal(layout)
        freshCounts[layout.id, default: SampleFile.FreshCount()].rows -= sealed.rows
        freshCounts[layout.id, default: SampleFile.FreshCount()].samples -= sealed.samples
        return sealed.samples > 0
    }

    /// Returns while nothing is being written.
    func endFlight() async {
        while let flight { _ = await flight.write.result }
    }

    /// Counts what was taken out of fresh samples.
    func forgetFresh(_ layout: Layout, _ taken: ForgetPlan.Taken) {
        freshCounts[layout.id, default: SampleFile.FreshCount()].rows -= taken.rows
        freshCounts[layout.id, default: SampleFile.FreshCount()].samples -= taken.samples
    }

    private func forget(listener: Int, of sensor: SensorID) {
        series[sensor]?.listeners[listener] = nil
    }
}
