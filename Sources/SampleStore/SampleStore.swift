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
    private(set) var refused: Set<SensorID> = []
    var pending: [SampleFile.Entry] = []
    var flight: Flight?
    var lastAccepted: Int64
    var lastAcknowledged: Int64
    var lastSynchronised: Int64
    var hasFailedToSynchronise = false
    var waiting = 0
    var fresh: FreshTally
    var queue = MaintenanceQueue()
    var upkeep: Upkeep
    var damage: [SensorID: [TimeRange]] = [:]
    let numbering: SampleFile.Numbering
    /// Whether a transaction of this session has noted its numbering.
    var isNoted = false
    /// Whether numbers were given out that no sample in the file will have.
    var hasForgottenNumbers = false
    var dropped = 0
    var writes = 0
    var failure: String?

    /// A transaction that is being written, and who waits for its end.
    struct Flight {
        var waiting: [CheckedContinuation<SampleStoreError?, Never>] = []
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
            fresh = FreshTally(try await file.freshCounts())
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
            // What a session left that ended amid its work.
            sealIfDue(layout)
        } catch {
            throw SampleStoreError(wrapping: error, while: "registering \(sensor)")
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

    /// The arrival number of the last accepted sample.
    public var lastSequence: Int64 { lastAccepted }

    public var status: StoreStatus {
        StoreStatus(
            accepted: lastAccepted - numbering.skipped, acknowledged: lastAcknowledged,
            buffered: waiting, dropped: dropped, writes: writes, bytes: file.size(),
            failure: failure ?? upkeep.failure)
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

}
