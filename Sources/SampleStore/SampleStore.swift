import Files
public import Samples

/// Samples of all sensors in one SQLite file.
///
/// A sample is *accepted* when `append` returns: every later read includes it. It is *committed*
/// when ``flush(_:)`` returns: it then survives the death of the process, or, with
/// ``Durability/synced``, a power cut. Samples are ordered by time, then by sequence number.
/// `docs/file-format.md` specifies the file.
///
/// ```swift
/// let store = try await SampleStore(path: "samples.sqlite")
/// try await store.register("attic", fields: [Field("temperature", unit: "Cel")])
/// try await store.append([Sample(time: .now(), values: [.number(21.5)])], to: "attic")
/// try await store.flush()
/// let newest = try await store.samples(
///     SampleQuery(sensor: "attic", order: .descending, limit: 10))
/// try await store.close()
/// ```
///
/// When the fields of a sensor change, older samples are kept. A read matches them to the requested
/// fields by name and unit: columns are reordered or excluded, integers become numbers, and states
/// and texts are interchangeable. Samples that lack a requested field are excluded; they are
/// included again when the sensor has its former fields.
public actor SampleStore {
    /// The number of accepted samples that may wait to be written; further ones are dropped.
    public static let bufferLimit = 200_000

    /// Sealing, retention and the budget.
    public nonisolated let maintenance: StoreMaintenance
    let file: SampleFile
    let damageLog: DamageLog

    private let writer: SampleWriter
    private let numbering: SequenceTable.Numbering
    private var series: [SensorID: SensorSeries] = [:]
    /// Sensors whose samples are not accepted.
    private var refused: Set<SensorID> = []
    private var buffer: WriteBuffer
    /// The rows that the next transaction may extend, by layout.
    private var openRows: [Int64: UnsealedRow.Key] = [:]
    /// The end of the journal; `nil` while samples of a killed process are still in it because the disk is too full
    /// to write them as rows.
    private var journal: SampleJournal.End?
    private var pendingCommit: PendingCommit?
    /// The number of committed transactions with samples.
    private var writes = 0
    /// Whether the last sync failed, so that the log must be rewritten.
    private var hasFailedToSync = false
    /// Why the last commit failed.
    private var failure: String?

    /// A transaction that is being written, and the flushes that wait for its end.
    private struct PendingCommit {
        var waiting: [CheckedContinuation<SampleStoreError?, Never>] = []
    }

    /// What flushed samples survive.
    public enum Durability: Sendable {
        /// The death of the process.
        case committed
        /// A power cut, if the disk honours flushes.
        case synced
    }

    /// Opens the file, creates it when it does not exist, and migrates its schema.
    public init(path: String) async throws(SampleStoreError) {
        try await self.init(path: path, rules: .standard)
    }

    /// Opens the file with other sizes of chunks or other limits.
    package init(
        path: String, rules: ChunkRules, space: SpaceRules = .standard
    ) async throws(SampleStoreError) {
        do {
            file = try SampleFile(path: path)
            damageLog = DamageLog()
            writer = SampleWriter(file, rules)
            let recovery = try await SampleJournal.recoverUnlessFull(file.pool)
            numbering = try await SequenceTable(file.pool).startSession(
                reserve: Int64(Self.bufferLimit))
            buffer = WriteBuffer(after: numbering.last)
            if let recovery {
                journal = SampleJournal.End(base: numbering.last)
                if recovery.isDamaged { try await damageLog.recordLoss(file.pool) }
            }
            maintenance = try await StoreMaintenance(file, rules, space, damageLog)
        } catch {
            throw SampleStoreError(wrapping: error, while: "opening \(path)")
        }
    }

    // MARK: - Sensors

    /// Registers a sensor, or changes the fields of its new samples.
    public func register(_ sensor: SensorID, fields: [Field]) async throws(SampleStoreError) {
        if series[sensor]?.current.fields == fields { return }
        do {
            let table = SensorTable(file.pool)
            let (row, layout) = try await table.register(sensor, fields: fields)
            let layouts = try await table.layouts(of: row)
            var former = SensorSeries(
                row: row, current: layout, lastSequence: buffer.lastAccepted)
            former.change(to: layout, among: layouts)
            let newest = try await storedNewest(of: sensor, former)
            let recent = await recentTimes(of: sensor, former)
            // Another registration may have completed meanwhile.
            var current = series[sensor] ?? former
            current.change(to: layout, among: layouts)
            current.recall(newest)
            current.recall(times: recent)
            series[sensor] = current
            // A process that died may have left rows to seal.
            await maintenance.sealIfDue([layout])
        } catch {
            throw SampleStoreError(wrapping: error, while: "registering \(sensor)")
        }
    }

    /// Sets whether samples of a sensor are accepted; takes effect before it returns.
    public func admit(_ isAdmitted: Bool, _ sensor: SensorID) {
        if isAdmitted {
            refused.remove(sensor)
        } else {
            refused.insert(sensor)
        }
    }

    /// The current fields of a sensor; `nil` when it is not registered.
    public func fields(of sensor: SensorID) -> [Field]? { layout(of: sensor)?.fields }

    /// The collection level that was stored for each sensor, as the text that the caller chose.
    public func keptLevels() async throws(SampleStoreError) -> [String: String] {
        do {
            return try await SensorTable(file.pool).levels()
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading the collection levels")
        }
    }

    /// Stores one collection level for several sensors, in one transaction.
    public func setLevel(_ level: String, of sensors: [SensorID]) async throws(SampleStoreError) {
        do {
            try await SensorTable(file.pool).setLevel(
                level, for: sensors.map(\.description))
        } catch {
            throw SampleStoreError(wrapping: error, while: "storing a collection level")
        }
    }

    /// The layout of new samples of a sensor.
    func layout(of sensor: SensorID) -> Layout? { series[sensor]?.current }

    // MARK: - Accepting

    /// Accepts samples, all or none.
    ///
    /// - Returns: the sequence number of the last one; `nil` when the sensor is not admitted, or
    ///   when the buffer is full and the samples were dropped.
    /// - Throws: `invalid` when the sensor is not registered or a value does not match its field.
    @discardableResult
    public func append(
        _ samples: [Sample], to sensor: SensorID
    ) throws(SampleStoreError) -> Int64? {
        let known = try registered(sensor)
        for sample in samples { try known.validate(sample.values.count, of: sensor) }
        guard let batch = SampleBatch(samples, of: known.current.fields) else {
            throw SampleStoreError(
                .invalid, "A value of \(sensor) does not have the type of its field.")
        }
        return try append(batch, to: sensor)
    }

    /// Accepts a batch, all or nothing; many times faster than single samples.
    ///
    /// ```swift
    /// let batch = SampleBatch(times: times, columns: [.numbers(temperatures)])
    /// try await store.append(batch, to: "attic")
    /// ```
    ///
    /// - Parameter named: an idempotency key and the time at which it is used. The key is committed
    ///   together with the samples, so ``receipt(of:to:at:)`` never finds a key whose samples were
    ///   lost.
    /// - Returns: as ``append(_:to:)``.
    /// - Throws: as ``append(_:to:)``.
    @discardableResult
    public func append(
        _ samples: SampleBatch, to sensor: SensorID, named: (key: BatchKey, at: Timestamp)? = nil
    ) throws(SampleStoreError) -> Int64? {
        let known = try registered(sensor)
        return try append(samples, to: sensor, known, in: known.current, named: named)
    }

    /// Accepts a batch that a client publishes, all or nothing.
    ///
    /// Samples of different clients are in different chunks, so that space is freed from the client that uses
    /// more than its share of the budget.
    /// - Parameters:
    ///   - client: the name of the client; `nil` for the host and the owner.
    ///   - named: as for ``append(_:to:named:)``.
    /// - Returns: as ``append(_:to:)``.
    /// - Throws: as ``append(_:to:)``.
    public func publish(
        _ samples: SampleBatch, to sensor: SensorID, by client: String?,
        named: (key: BatchKey, at: Timestamp)? = nil
    ) async throws(SampleStoreError) -> Int64? {
        while true {
            let known = try registered(sensor)
            if let layout = known.layout(of: client) {
                return try append(samples, to: sensor, known, in: layout, named: named)
            }
            // The fields may change meanwhile.
            try await add(client ?? "", to: sensor, fields: known.current.fields)
        }
    }

    private func add(
        _ client: String, to sensor: SensorID, fields: [Field]
    ) async throws(SampleStoreError) {
        do {
            let (_, layout) = try await SensorTable(file.pool).register(
                sensor, fields: fields, publisher: client)
            series[sensor]?.add(layout, of: client)
            // A process that died may have left rows to seal.
            await maintenance.sealIfDue([layout])
        } catch {
            throw SampleStoreError(wrapping: error, while: "registering \(sensor)")
        }
    }

    private func append(
        _ samples: SampleBatch, to sensor: SensorID, _ known: SensorSeries, in layout: Layout,
        named: (key: BatchKey, at: Timestamp)?
    ) throws(SampleStoreError) -> Int64? {
        try known.validate(samples, of: sensor)
        guard !refused.contains(sensor) else { return nil }
        guard !samples.isEmpty else { return buffer.lastAccepted }
        guard let batch = buffer.accept(samples, of: known, in: layout, key: named) else {
            return nil
        }
        series[sensor]?.accept(batch)
        return buffer.lastAccepted
    }

    /// The digest and the receipt of the batch with an idempotency key; `nil` when the key is
    /// unknown or expired.
    ///
    /// - Parameter time: the current time, to which the lifetime of keys is relative.
    public func receipt(
        of key: BatchKey, to sensor: SensorID, at time: Timestamp
    ) async throws(SampleStoreError) -> (digest: [UInt8], receipt: BatchReceipt)? {
        let known = try registered(sensor)
        if let batch = buffer.batch(with: key, of: known.row) {
            return (batch.key.digest, batch.receipt)
        }
        do {
            return try await BatchKeyTable(file.pool).batch(key, of: known.row, at: time)
        } catch {
            throw SampleStoreError(wrapping: error, while: "looking up an idempotency key")
        }
    }

    /// A stream that yields an element when samples of the sensor have been accepted; one element may stand
    /// for several batches.
    ///
    /// The stream ends at once when the sensor is not registered.
    public func arrivalSignals(of sensor: SensorID) -> AsyncStream<Void> {
        arrivalSignals(of: [sensor])
    }

    /// The same for several sensors; the stream ends at once when none of them is registered.
    public func arrivalSignals(of sensors: [SensorID]) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var numbers: [(SensorID, Int)] = []
        for sensor in sensors {
            guard let number = series[sensor]?.addListener(continuation) else { continue }
            numbers.append((sensor, number))
        }
        guard !numbers.isEmpty else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [numbers] _ in
            Task {
                for (sensor, number) in numbers { await self.removeListener(number, of: sensor) }
            }
        }
        return stream
    }

    /// The last sequence numbers of the store and of some sensors, at one moment.
    public func progress(of sensors: [SensorID]) -> ArrivalProgress {
        ArrivalProgress(
            last: lastSequence, sensors: sensors.map { series[$0]?.lastSequence ?? 0 })
    }

    /// Whether someone waits for samples of a sensor; see ``arrivalSignals(of:)``.
    public func hasListeners(for sensor: SensorID) -> Bool {
        series[sensor]?.hasListeners == true
    }

    private func removeListener(_ number: Int, of sensor: SensorID) {
        series[sensor]?.removeListener(number)
    }

    private func registered(_ sensor: SensorID) throws(SampleStoreError) -> SensorSeries {
        guard let known = series[sensor] else {
            throw SampleStoreError(.invalid, "The sensor \(sensor) is not registered.")
        }
        return known
    }

    // MARK: - Committing

    /// Returns when all samples that were accepted before the call survive the death of the
    /// process, or a power cut.
    ///
    /// Calls during a transaction share the next one.
    public func flush(_ durability: Durability = .committed) async throws(SampleStoreError) {
        let target = buffer.lastAccepted
        while reached(durability) < target {
            guard pendingCommit == nil else {
                // The next commit includes the samples that the pending one does not.
                let failure = await awaitCommit()
                if let failure, reached(durability) < target { throw failure }
                continue
            }
            try await commit(isSynced: durability == .synced)
        }
    }

    /// Returns when all samples that were accepted before the call survive the death of the process, with
    /// fewer bytes written than by ``flush(_:)``.
    ///
    /// They are appended to the journal of the file, and written as rows when it is full, or by the next
    /// ``flush(_:)``, which should follow within minutes: samples that are not in rows are not pruned.
    public func flushToJournal() async throws(SampleStoreError) {
        let target = buffer.lastAccepted
        while buffer.lastCommitted < target {
            guard pendingCommit == nil else {
                let failure = await awaitCommit()
                if let failure, buffer.lastCommitted < target { throw failure }
                continue
            }
            try await commit(isSynced: false, isJournalled: true)
        }
    }

    private func reached(_ durability: Durability) -> Int64 {
        durability == .committed ? buffer.lastAcknowledged : buffer.lastSynced
    }

    /// Waits for the pending commit, if any.
    ///
    /// - Returns: why it failed.
    @discardableResult
    private func awaitCommit() async -> SampleStoreError? {
        await withCheckedContinuation {
            pendingCommit?.waiting.append($0) ?? $0.resume(returning: nil)
        }
    }

    /// Commits all buffered samples in one transaction; samples accepted meanwhile wait for the
    /// next one.
    ///
    /// The first caller commits in its own task, which saves two thread switches. Cancelling that
    /// task has no effect on other callers: nothing that is awaited here checks for cancellation.
    private func commit(
        isSynced: Bool, isJournalled: Bool = false
    ) async throws(SampleStoreError) {
        pendingCommit = PendingCommit()
        var failure: SampleStoreError?
        do {
            var isDone = false
            if isJournalled { isDone = try await appendToJournal() }
            if !isDone {
                await maintenance.admitWrites(to: Set(buffer.batches.lazy.map(\.layout.id)))
                try await write(isSynced: isSynced)
            }
        } catch {
            let wrapped = SampleStoreError(wrapping: error, while: "writing samples")
            if wrapped.code == .full { await maintenance.freeSpace() }
            failure = wrapped
        }
        self.failure = failure?.message
        endCommit(failure)
        if let failure { throw failure }
    }

    private func endCommit(_ failure: SampleStoreError?) {
        let waiting = pendingCommit?.waiting ?? []
        pendingCommit = nil
        for flush in waiting { flush.resume(returning: failure) }
    }

    /// - Returns: `false` when the samples have to be written as rows.
    private func appendToJournal() async throws -> Bool {
        guard let journal, buffer.fitsJournal else { return false }
        let (number, last) = (buffer.batches.count, buffer.lastAccepted)
        let written = try await writer.append(
            buffer.uncommitted, to: journal, marking: writes == 0 ? numbering : nil)
        guard let written else { return false }
        self.journal = written.journal
        writes += 1
        buffer.commit(number, upTo: last)
        await maintenance.didWrite(written)
        return true
    }

    /// Writes what an earlier session left in the journal as rows, if that is not done.
    private func recoverJournal() async throws -> SampleJournal.End {
        if let journal { return journal }
        let recovery = try await SampleJournal.recover(file.pool)
        if recovery.isDamaged { try await damageLog.recordLoss(file.pool) }
        await maintenance.didWrite(SampleWriter.Written(sizes: recovery.sizes))
        let end = SampleJournal.End(base: numbering.last)
        journal = end
        return end
    }

    /// Overwrites the journal, and appends the samples that wait in memory to it.
    private func rewriteJournal(isForgetting: Bool) async throws(SampleStoreError) {
        while pendingCommit != nil { await awaitCommit() }
        pendingCommit = PendingCommit()
        var failure: SampleStoreError?
        do {
            let end = try await recoverJournal()
            let (batches, last) = (buffer.fitsJournal ? buffer.batches : [], buffer.lastAccepted)
            let (next, isWritten) = try await writer.replaceJournal(
                by: batches, end, isForgetting: isForgetting)
            journal = next
            if isWritten, !batches.isEmpty {
                buffer.commit(batches.count, upTo: last)
            } else {
                buffer.leaveJournal()
            }
        } catch {
            failure = SampleStoreError(wrapping: error, while: "erasing the journal")
        }
        endCommit(failure)
        if let failure { throw failure }
    }

    private func write(isSynced: Bool) async throws {
        let (batches, last) = (buffer.batches, buffer.lastAccepted)
        if buffer.hasForgottenNumbers {
            try await SequenceTable(file.pool).raiseFloor(to: last)
            buffer.raiseFloor()
        }
        let end = try await recoverJournal()
        let isResync = isSynced && hasFailedToSync
        let step = isSynced && !isResync ? await maintenance.logStep : nil
        // The first transaction after opening the file marks it as not closed.
        let written = try await writer.write(
            batches, extending: openRows, ending: end, marking: writes == 0 ? numbering : nil,
            syncedBy: step)
        openRows = written.open
        journal = written.journal
        // The samples are in the file now, even if syncing failed.
        if !batches.isEmpty { writes += 1 }
        buffer.acknowledge(batches, upTo: last)
        await maintenance.didWrite(written)
        if isSynced {
            hasFailedToSync = true
            if let failure = written.syncFailure { throw failure }
            if isResync { try await file.resync() }
            hasFailedToSync = false
            buffer.sync(upTo: last)
        }
        var layouts: [Int64: Layout] = [:]
        for batch in batches { layouts[batch.layout.id] = batch.layout }
        await maintenance.sealIfDue(layouts.values.sorted { $0.id < $1.id })
    }

    // MARK: - Forgetting

    /// Removes samples of a sensor in a range, written or not, and the summaries of hours in the
    /// range.
    ///
    /// Covers samples that were accepted before the call, including the newest. When it returns,
    /// their bytes are also erased from the file and its log, unless the receipt reports otherwise.
    ///
    /// - Parameters:
    ///   - now: the time of the receipt.
    ///   - client: the client whose idempotency keys are removed when no sample of their batch is
    ///     left, so that it can store the batch again; `nil` for none.
    /// - Throws: `invalid` when the store has never had samples of the sensor.
    public func forget(
        _ sensor: SensorID, _ range: TimeRange, at now: Timestamp,
        releasingKeysOf client: String? = nil
    ) async throws(SampleStoreError) -> ForgetReceipt {
        let last = buffer.lastAccepted
        do {
            guard let stored = try await maintenance.stored(sensor) else {
                throw SampleStoreError(.invalid, "The store has no samples of \(sensor).")
            }
            while pendingCommit != nil { await awaitCommit() }
            var receipt = ForgetReceipt(sensor: sensor, range: range, time: now)
            receipt.samples = buffer.forget(
                stored.row, range, through: last, releasingKeysOf: client)
            await maintenance.makeRoom()
            try await rewriteJournal(isForgetting: true)
            defer { UpgradeCopy.remove(of: file.path) }
            return try await maintenance.forget(
                stored, receipt, through: last, releasingKeysOf: client
            ) {
                try await self.recallNewest(of: sensor)
            }
        } catch {
            throw SampleStoreError(wrapping: error, while: "forgetting \(sensor)")
        }
    }

    /// The last sequence number of a pruned or forgotten sample of the sensor; 0 for none.
    ///
    /// A reader that has read up to a smaller number may have missed samples.
    public func prunedThrough(_ sensor: SensorID) async -> Int64 {
        guard let row = series[sensor]?.row else { return 0 }
        return await maintenance.prunedThrough(row)
    }

    /// Determines the newest sample again.
    private func recallNewest(of sensor: SensorID) async throws {
        guard let known = series[sensor] else { return }
        series[sensor]?.forgetNewest()
        // Awaited before the calls: `series[sensor]?.recall(await …)` would access the element during the
        // suspension, while other calls of this actor access it, too.
        let newest = try await storedNewest(of: sensor, known)
        series[sensor]?.recall(newest)
        let times = await recentTimes(of: sensor, known)
        series[sensor]?.recall(times: times)
    }

    /// The last times in file and buffer, as far as they can be read.
    private func recentTimes(of sensor: SensorID, _ known: SensorSeries) async -> [Timestamp] {
        let latest = SampleQuery(
            sensor: sensor, order: .descending, limit: SensorSeries.observedTimes)
        let source = source(of: known, fields: nil) { latest.range.contains($0.time) }
        let result = try? await RangeReader(file.pool).read(latest, source)
        return result?.batch.samples.times ?? []
    }

    /// The newest sample in file and buffer; none when it is damaged, so that the sensor can be
    /// collected.
    private func storedNewest(
        of sensor: SensorID, _ known: SensorSeries
    ) async throws -> [StoredSample] {
        let latest = SampleQuery(sensor: sensor, order: .descending, limit: 1)
        do {
            let source = source(of: known, fields: nil) { latest.range.contains($0.time) }
            let result = try await RangeReader(file.pool).read(latest, source)
            damageLog.record(result.damage, of: sensor)
            return (0..<result.batch.count).map { result.batch[$0] }
        } catch {
            let wrapped = SampleStoreError(wrapping: error, while: "reading the newest sample")
            guard wrapped.code == .damaged else { throw wrapped }
            return []
        }
    }

    // MARK: - For reading

    /// The sequence number of the last accepted sample.
    public var lastSequence: Int64 { buffer.lastAccepted }

    /// The sample with the latest time; of equal times the last accepted.
    public func newest(of sensor: SensorID) -> StoredSample? { series[sensor]?.newest }

    /// The newest sample, and the longest of the last intervals between newest samples; `nil` when
    /// fewer than two are known.
    ///
    /// Samples that were accepted together count as one, so a source that delivers samples by the minute has an
    /// interval of a minute.
    public func recency(of sensor: SensorID) -> (newest: StoredSample?, interval: Duration?) {
        (series[sensor]?.newest, series[sensor]?.observedInterval)
    }

    /// The newest sample with other fields; `nil` when it lacks one of them.
    func newest(of sensor: SensorID, with fields: [Field]?) -> StoredSample? {
        series[sensor]?.newest(with: fields)
    }

    /// How the samples of each layout of a sensor are converted to these fields; `nil` when the
    /// sensor is not registered.
    func projections(of sensor: SensorID, to fields: [Field]) -> [Int64: Projection]? {
        series[sensor]?.projections(for: fields)
    }

    /// What a read of a sensor needs besides the file; `nil` when the sensor is not registered.
    ///
    /// - Parameters:
    ///   - fields: `nil` for the current fields.
    ///   - isWanted: selects unwritten samples.
    func source(
        of sensor: SensorID, fields: [Field]?, where isWanted: (SampleQuery.Position) -> Bool
    ) -> ReadSource? {
        series[sensor].map { source(of: $0, fields: fields, where: isWanted) }
    }

    private func source(
        of known: SensorSeries, fields: [Field]?, where isWanted: (SampleQuery.Position) -> Bool
    ) -> ReadSource {
        let seen = fields ?? known.current.fields
        let projections = known.projections(for: fields)
        return ReadSource(
            fields: seen, projections: projections,
            unwritten: buffer.samples(of: known.row, seen, projections, where: isWanted))
    }

    // MARK: - Status and closing

    /// The approximate size in memory of accepted samples that are not yet in the file, in bytes.
    public var unwrittenSize: Int { buffer.size }

    /// Counts since the file was created or opened, and the last failure.
    public var status: StoreStatus {
        get async {
            let maintenanceFailure = await maintenance.status
            return StoreStatus(
                accepted: buffer.lastAccepted - numbering.skipped,
                acknowledged: buffer.lastCommitted,
                buffered: buffer.uncommitted.reduce(0) { $0 + $1.batch.count },
                unwritten: buffer.count,
                dropped: buffer.dropped, writes: writes, bytes: file.size(),
                failure: failure ?? maintenanceFailure)
        }
    }

    /// Commits all samples, ends all streams and closes the file.
    ///
    /// - Throws: why accepted samples could not be written; the file is closed nevertheless.
    public func close() async throws(SampleStoreError) {
        var failure: SampleStoreError?
        do {
            try await flush()
            // The journal still has copies of samples that are in rows now.
            try? await rewriteJournal(isForgetting: false)
        } catch {
            failure = error
        }
        for known in series.values { known.finishListeners() }
        await maintenance.close()
        do {
            try await file.close(endingAt: buffer.batches.isEmpty ? buffer.lastAccepted : nil)
        } catch {
            failure = failure ?? SampleStoreError(wrapping: error, while: "closing")
        }
        if let failure { throw failure }
    }
}

/// Counts and the last failure of a store.
public struct StoreStatus: Hashable, Sendable {
    /// Samples accepted since the file was created, including pruned ones.
    public let accepted: Int64
    /// The sequence number of the last committed sample; 0 for none.
    public let acknowledged: Int64
    /// Accepted samples that are not yet in the file.
    public let buffered: Int
    /// Accepted samples that are not yet in rows: those that are not in the file, and those in its journal.
    public let unwritten: Int
    /// Samples dropped since the store was opened because the buffer was full.
    public let dropped: Int
    /// Transactions since the store was opened that wrote samples.
    public let writes: Int
    /// Bytes of the file and its write-ahead log.
    public let bytes: Int64
    /// The last failed write, until one succeeds; else the last failure of maintenance.
    public let failure: String?
}
