import Files
public import Logging
import SampleStore
public import Samples
public import Statistics

/// Collects samples from every sensor the machine has, as often as the person lets it.
///
/// There is one for a data directory: the initialiser is internal, and `start` takes a lock that
/// this process or any other can hold only once. A sensor that is off is not read and gains no row.
public actor VirtualMachine {
    /// Held until the machine is closed.
    private var directory: DataDirectory?
    let store: SampleStore
    let drivers: [any SensorDriver]
    let derivers: [any SensorDeriver]
    /// The sensors that the owner has declared, and where they are kept.
    var declared: DeclaredSensors
    let declarations: DeclarationFile
    /// Named batches that are being stored.
    var storing: [NamedStoring: Task<Result<BatchReceipt, VirtualMachineError>, Never>] = [:]
    let time: TimeSource
    let logger: Logger
    let executor = BlockingExecutor()
    private let started: Timestamp
    var sensors: [SensorID: CollectedSensor] = [:]
    private var levels: [SensorID: CollectionLevel]
    /// Ends with the change of a level that was asked for last.
    var lastChange: Task<Void, Never>?
    /// Ends with the look for hardware that was asked for last.
    var lastLook: Task<Void, Never>?
    var isCollecting = false
    /// What was played since the last flush for it.
    var waiting = (batches: 0, samples: 0)
    /// Making room in the store goes on, and when that began the last time.
    var maintenance: Task<Void, Never>?
    var lastMaintenance: Timestamp

    /// The level of a sensor that the person has said nothing about.
    public static let defaultLevel = CollectionLevel.medium
    /// The most samples that are published at once.
    public static let largestBatch = SampleStore.bufferLimit

    init(
        directory: consuming DataDirectory, store: SampleStore, drivers: [any SensorDriver],
        derivers: [any SensorDeriver], declarations: DeclarationFile, declared: DeclaredSensors,
        levels: [SensorID: CollectionLevel], time: TimeSource, logger: Logger
    ) {
        self.declarations = declarations
        self.declared = declared
        self.directory = consume directory
        self.store = store
        self.drivers = drivers
        self.derivers = derivers
        self.levels = levels
        self.time = time
        self.logger = logger
        started = time.now()
        lastMaintenance = started
    }

    /// Takes the data directory, opens the store and finds the sensors; collects nothing yet.
    ///
    /// - Throws: `alreadyRunning` when a virtual machine, here or in another process, has it;
    ///   `dataUnusable` when it cannot be made or written; `storeFailed` when the file is damaged.
    public static func start(
        in path: String, drivers: [any SensorDriver], derivers: [any SensorDeriver] = [],
        time: TimeSource = .system,
        logger: Logger = Logger(label: "nervous.vm")
    ) async throws(VirtualMachineError) -> VirtualMachine {
        let directory = try DataDirectory(locking: path)
        DurableFile.removeDrafts(in: path)
        let declarations = DeclarationFile(path: path + "/declared-sensors.json")
        let declared = try declarations.read()
        do {
            let store = try await SampleStore(path: path + "/samples.sqlite")
            var levels: [SensorID: CollectionLevel] = [:]
            for (name, level) in try await store.keptLevels() {
                guard let id = SensorID(name), let level = CollectionLevel(level) else { continue }
                levels[id] = level
            }
            let machine = VirtualMachine(
                directory: directory, store: store, drivers: drivers, derivers: derivers,
                declarations: declarations, declared: declared, levels: levels, time: time,
                logger: logger)
            try await machine.discover()
            return machine
        } catch {
            throw Self.wrap(error)
        }
    }

    // MARK: - Sensors

    /// Every sensor there is or could be, by identifier.
    public func statuses() async -> [SensorStatus] {
        var statuses: [SensorStatus] = []
        for id in sensors.keys.sorted() {
            if let status = await status(of: id) { statuses.append(status) }
        }
        return statuses
    }

    /// The known sensors of a kind, or those that a name stands for, missing hardware included.
    public func instances(of id: SensorID) -> [SensorID] {
        sensors.keys.filter(id.covers).sorted()
    }

    /// - Returns: `nil` when no driver knows the sensor.
    public func status(of id: SensorID) async -> SensorStatus? {
        let stored = await store.newest(of: id)
        guard let known = sensors[id] else { return nil }
        // Under the name of a virtual sensor others may have published before.
        let newest = known.sensor.derivation == nil ? stored : nil
        return SensorStatus(
            sensor: known.sensor, state: known.state, level: level(of: id),
            failure: known.failure, note: known.note, failures: known.failures, newest: newest,
            source: known.report)
    }

    /// Sets how often a sensor, or every instance of a kind, is read; at once and from now on.
    ///
    /// - Throws: `unknownSensor` when it names nothing; `storeFailed` when it could not be kept,
    ///   and then nothing has changed.
    public func setLevel(
        _ level: CollectionLevel, of id: SensorID
    ) async throws(VirtualMachineError) {
        guard sensors.keys.contains(where: id.covers) else {
            throw VirtualMachineError(
                .unknownSensor, "There is no sensor named \(id).",
                hint: "List them with: nervous sensors")
        }
        // One change after the other, so that memory and file end with the same level.
        let before = lastChange
        let change = Task {
            await before?.value
            return await self.change(to: level, of: id)
        }
        lastChange = Task { _ = await change.value }
        try await change.value.get()
    }

    private func change(
        to level: CollectionLevel, of id: SensorID
    ) async -> Result<Void, VirtualMachineError> {
        let narrower = levels.keys.filter { $0 != id && id.covers($0) }
        do {
            try await store.keep(level: level.description, of: narrower + [id])
        } catch {
            return .failure(Self.wrap(error))
        }
        for key in narrower + [id] { levels[key] = level }
        for key in sensors.keys where id.covers(key) {
            restart(key)
            await store.admit(level != .off, key)
        }
        return .success(())
    }

    // MARK: - Samples

    /// The samples that match, accepted ones included, in the query's order.
    public func samples(_ query: SampleQuery) async throws(VirtualMachineError) -> [StoredSample] {
        do {
            return try await store.samples(query)
        } catch {
            throw Self.wrap(error)
        }
    }

    /// The same, column by column.
    public func batch(_ query: SampleQuery) async throws(VirtualMachineError) -> StoredBatch {
        do {
            return try await store.batch(query)
        } catch {
            throw Self.wrap(error)
        }
    }

    /// Summaries of the numbers of a sensor's fields, of each window of the query.
    public func summaries(
        _ query: SummaryQuery
    ) async throws(VirtualMachineError) -> [WindowSummary] {
        do {
            return try await store.summaries(query)
        } catch {
            throw Self.wrap(error)
        }
    }

    /// Where samples of a sensor are known to be damaged and are not read, in order; all of time where
    /// nobody can tell.
    ///
    /// - Parameter range: only what touches it.
    public func damage(of id: SensorID, in range: TimeRange) async -> [TimeRange] {
        await store.damage(of: id, in: range)
    }

    /// The stretch of time, within a range, of the samples that are gone and that summaries still tell
    /// of; `nil` when there are none.
    public func summarised(
        _ id: SensorID, fields: [Field], in range: TimeRange
    ) async throws(VirtualMachineError) -> TimeRange? {
        do {
            return try await store.summarised(id, fields: fields, in: range)
        } catch {
            throw Self.wrap(error)
        }
    }

    /// Hands the numbers of one field over, stretch by stretch and in no particular order.
    ///
    /// - Parameter body: takes what was gathered so far and some numbers.
    public func reduce<State: Sendable>(
        _ field: Field, of id: SensorID, in range: TimeRange, into initial: State,
        _ body: @escaping @Sendable (inout State, UnsafeBufferPointer<Double>) -> Void
    ) async throws(VirtualMachineError) -> State {
        do {
            return try await store.reduce(field, of: id, in: range, into: initial, body)
        } catch {
            throw Self.wrap(error)
        }
    }

    /// The samples that arrived after `sequence`, in the order of arrival.
    ///
    /// - Parameter fields: the fields to see the samples with; `nil` for those the sensor has now.
    public func arrivals(
        of id: SensorID, fields: [Field]? = nil, after sequence: Int64, limit: Int
    ) async throws(VirtualMachineError) -> ArrivalPage {
        do {
            return try await store.arrivalPage(
                of: id, fields: fields, after: sequence, limit: limit)
        } catch {
            throw Self.wrap(error)
        }
    }

    /// Yields after samples of the sensor were accepted.
    public func arrivalSignals(of id: SensorID) async -> AsyncStream<Void> {
        await store.arrivalSignals(of: id)
    }

    /// The sample with the latest time.
    public func newest(of id: SensorID) async -> StoredSample? {
        await store.newest(of: id)
    }

    /// The arrival number of the last accepted sample.
    public func lastSequence() async -> Int64 {
        await store.lastSequence
    }

    public func status() async -> VirtualMachineStatus {
        let damage = await store.knownDamage
        let store = await store.status
        return VirtualMachineStatus(
            started: started, collecting: isCollecting,
            samples: store.accepted, buffered: store.buffered, dropped: store.dropped,
            bytes: store.bytes, failure: store.failure, damage: damage)
    }

    /// Acknowledges everything and lets go of the file and of the data directory.
    ///
    /// Nothing can be read or collected afterwards.
    public func close() async {
        do {
            try await store.close()
        } catch {
            logger.error("\(error.message)")
        }
        directory = nil
    }

    // MARK: - Private

    func level(of id: SensorID) -> CollectionLevel {
        levels[id] ?? levels.filter { $0.key.covers(id) }.max { $0.key < $1.key }?.value
            ?? Self.defaultLevel
    }

    static func wrap(_ error: any Error) -> VirtualMachineError {
        if let own = error as? VirtualMachineError { return own }
        if let full = error as? SampleStoreError, full.code == .full {
            return VirtualMachineError(
                .diskFull, "The disk is full.", hint: "Make room on the disk.", cause: full)
        }
        let message = (error as? SampleStoreError)?.message ?? "\(error)"
        return VirtualMachineError(.storeFailed, message, cause: error)
    }
}
