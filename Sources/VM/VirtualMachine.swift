import Files
public import Logging
import SampleStore
public import Samples
public import Scheduling

/// Collects samples from the sensors of the machine, at the levels that the owner sets.
///
/// There is one for each data directory: the initialiser is internal, and `start` takes a lock that
/// one virtual machine of one process can hold. A sensor that is off is not read, and none of its
/// samples are stored.
///
/// ```swift
/// let machine = try await VirtualMachine.start(
///     in: "/var/lib/nervous", drivers: DriverCatalogue.standard())
/// try await machine.setLevel(.low, of: "cpu")
/// await machine.collect()
/// await machine.close()
/// ```
public actor VirtualMachine {
    /// The level of a sensor for which the owner has set none.
    public static let defaultLevel = CollectionLevel.medium
    /// The maximum number of samples that are published in one call.
    public static let largestBatch = BatchPublisher.largestBatch

    /// The longest time that a collected sample waits to be written, unless another is set.
    public static let standardFlushInterval = Duration.seconds(10)

    /// How often it is checked whether samples have waited long enough.
    private static let flushCheckInterval = Duration.milliseconds(500)
    /// The size of waiting samples, in bytes, at which they are written sooner.
    private static let unwrittenLimit = 1 << 20
    /// The longest time that samples are in the journal of the store before they are written as rows.
    private static let journalInterval = Duration.seconds(300)

    /// Reads the samples that were accepted.
    public nonisolated let samples: SampleReading
    /// Applies retention rules and the budget.
    public nonisolated let retention: Retention

    /// Locked until the machine is closed.
    private var directory: DataDirectory?
    private let store: SampleStore
    private let collector: SensorCollector
    private let publisher: BatchPublisher
    private let playback: Playback
    private let time: any TimeSource
    private let logger: Logger
    private let started: Timestamp
    private var flushInterval: Duration

    init(
        directory: consuming DataDirectory, store: SampleStore, collector: SensorCollector,
        flushInterval: Duration, time: any TimeSource, logger: Logger
    ) {
        self.directory = consume directory
        self.store = store
        self.collector = collector
        self.flushInterval = flushInterval
        self.time = time
        self.logger = logger
        samples = SampleReading(store: store)
        retention = Retention(store, time: time, logger: logger)
        publisher = BatchPublisher(store, time: time)
        playback = Playback(store, collector)
        started = time.now()
    }

    // MARK: - Life cycle

    /// Locks the data directory, opens the store and discovers the sensors; collects nothing yet.
    ///
    /// - Parameter flushInterval: see ``setFlushInterval(_:)``.
    /// - Throws: `alreadyRunning` when another virtual machine, here or in another process, has
    ///   locked the directory; `dataUnusable` when it cannot be created or written; `storeFailed`
    ///   when the store is damaged.
    public static func start(
        in path: String, drivers: [any SensorDriver], derivers: [any SensorDeriver] = [],
        flushInterval: Duration = standardFlushInterval,
        time: any TimeSource = .system, logger: Logger = Logger(label: "nervous.vm")
    ) async throws(VirtualMachineError) -> VirtualMachine {
        let directory = try DataDirectory(locking: path)
        DurableFile.removeDrafts(in: path)
        let declared = try DeclaredSensors(file: path + "/declared-sensors.json")
        do {
            let store = try await SampleStore(path: path + "/samples.sqlite")
            var levels: [SensorID: CollectionLevel] = [:]
            for (name, level) in try await store.keptLevels() {
                guard let id = SensorID(name), let level = CollectionLevel(level) else { continue }
                levels[id] = level
            }
            let collector = SensorCollector(
                store, drivers: drivers, derivers: derivers, declared: declared, levels: levels,
                clocks: ClockOffsetFile(path: path + "/clock-offsets.json"), time: time,
                logger: logger)
            let machine = VirtualMachine(
                directory: directory, store: store, collector: collector,
                flushInterval: flushInterval, time: time, logger: logger)
            try await machine.lookForSensors()
            return machine
        } catch let error as SampleStoreError where error.code == .damaged {
            let file = path + "/samples.sqlite"
            throw VirtualMachineError(
                .storeFailed, error.message,
                hint: "Restore \(file) from a backup, or set it aside and begin without samples:"
                    + " mv \(file) \(file).damaged", cause: error)
        } catch {
            throw VirtualMachineError(error)
        }
    }

    /// The names of the migrations of the store that this version knows, in order.
    public static var storeMigrations: [String] { SampleStore.migrations }

    /// Collects until the task is cancelled, then writes what was accepted.
    public func collect() async {
        await collector.begin()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepFlushing() }
            group.addTask { await self.collector.keepDiscovering() }
        }
        await collector.end()
        await collector.keepClocks(isLast: true)
        await flush()
        await retention.finish()
    }

    /// Reads all polled sensors that are on, once each.
    ///
    /// For use while nothing is collected; rates are measured over 200 ms.
    public func collectOnce() async {
        await collector.readOnce()
        await flush()
    }

    /// Writes everything, closes the store and unlocks the data directory.
    ///
    /// Nothing can be read or collected afterwards.
    public func close() async {
        await collector.keepClocks(isLast: true)
        do {
            try await store.close()
        } catch {
            logger.error("\(error.message)")
        }
        directory = nil
    }

    /// The state of the machine and its store.
    public nonisolated func status() async -> VirtualMachineStatus {
        let damage = await store.knownDamage
        let store = await store.status
        return VirtualMachineStatus(
            started: started, collecting: await collector.isCollecting,
            samples: store.accepted, buffered: store.buffered, unwritten: store.unwritten,
            dropped: store.dropped,
            bytes: store.bytes, failure: store.failure, damage: damage)
    }

    /// Returns once the collector has answered and the store has read its file; never returns if
    /// one of them hangs.
    public nonisolated func answer() async {
        _ = await collector.isCollecting
        // An error is an answer, too.
        _ = try? await store.keptLevels()
    }

    /// The faults that SQLite finds in a file of samples; reads only, also while a machine has the
    /// file open.
    ///
    /// - Throws: `storeFailed` when the file cannot be read or is not a database.
    public static func faults(inFile path: String) async throws(VirtualMachineError) -> [String] {
        do {
            return try await SampleStore.faults(inFile: path)
        } catch {
            throw VirtualMachineError(.storeFailed, error.message, cause: error)
        }
    }

    /// Sets the longest time that a collected sample waits to be written, so that fewer and larger transactions
    /// wear the disk less.
    ///
    /// The death of the process loses the samples that wait. Every read includes them, and published samples do
    /// not wait. Intervals below half a second have the effect of half a second; samples that take much memory
    /// are written sooner.
    public func setFlushInterval(_ interval: Duration) {
        flushInterval = interval
    }

    private nonisolated func keepFlushing() async {
        var last = time.instant()
        var lastRows = last
        while true {
            let interval = await max(flushInterval, Self.flushCheckInterval)
            let rest = interval - last.duration(to: time.instant())
            // Even if the last write took longer than the interval, wait for further samples.
            let pause = rest > .zero ? min(rest, Self.flushCheckInterval) : Self.flushCheckInterval
            guard (try? await time.sleep(for: pause)) != nil else { return }
            let now = time.instant()
            let isDue = last.duration(to: now) >= interval
            var areRowsDue = isDue && lastRows.duration(to: now) >= Self.journalInterval
            if !areRowsDue { areRowsDue = await store.unwrittenSize >= Self.unwrittenLimit }
            // Maintenance prunes only what is in rows.
            if !areRowsDue, await retention.isDue {
                areRowsDue = await retention.canPrune(within: Self.journalInterval)
            }
            if areRowsDue {
                await flush()
                (last, lastRows) = (now, now)
            } else if isDue {
                await flushToJournal()
                last = now
            }
            await retention.maintainIfDue()
            await collector.keepClocks()
        }
    }

    private nonisolated func flushToJournal() async {
        do {
            try await store.flushToJournal()
        } catch {
            logger.error("\(error.message)")
        }
    }

    /// Writes the samples that were accepted, so that they survive the death of the process; failures are logged.
    public nonisolated func flush() async {
        do {
            try await store.flush()
        } catch {
            logger.error("\(error.message)")
        }
    }
}

/// Sensors, their levels and declarations.
extension VirtualMachine {
    /// The known sensors, available or not, in the order of their identifiers.
    public nonisolated func statuses() async -> [SensorStatus] {
        await collector.statuses()
    }

    /// Reports changes of the set of sensors, of their availability and of their levels.
    public nonisolated var sensorChanges: ChangeSignal { collector.tableChanges }

    /// The description of a sensor, without the reads of the store that ``status(of:)`` may need.
    ///
    /// - Returns: `nil` when there is no such sensor.
    public nonisolated func sensor(_ id: SensorID) async -> Sensor? {
        await collector.sensor(id)
    }

    /// - Returns: `nil` when there is no such sensor.
    public nonisolated func status(of id: SensorID) async -> SensorStatus? {
        await collector.status(of: id)
    }

    /// The known sensors of a kind, or the sensor with that name; including unavailable ones.
    public nonisolated func instances(of id: SensorID) async -> [SensorID] {
        await collector.instances(of: id)
    }

    /// The sensors that a name refers to when samples are read: the sensor of that name if it can
    /// be read, otherwise the sensors of the kind that can be read.
    ///
    /// A sensor can be read when it is available or has samples.
    ///
    /// ```swift
    /// await machine.readable(named: "cpu")            // [cpu]
    /// await machine.readable(named: "accelerometer")  // [accelerometer.phone]
    /// ```
    public nonisolated func readable(named name: SensorID) async -> [SensorID] {
        await collector.readable(named: name)
    }

    /// Discovers sensors at once, for example when the configuration of a driver has changed.
    ///
    /// - Throws: `storeFailed` when a new sensor cannot be registered.
    public nonisolated func lookForSensors() async throws(VirtualMachineError) {
        if let error = await collector.discoverInTurn() { throw VirtualMachineError(error) }
    }

    /// Removes a sensor that is unavailable from the list; its samples stay, and can be read when
    /// it is discovered again.
    public nonisolated func dismiss(_ id: SensorID) async {
        await collector.dismiss(id)
    }

    /// Sets how often a sensor, or each instance of a kind, is read; at once and permanently.
    ///
    /// - Throws: `unknownSensor` when there is none; `storeFailed` when the level could not be
    ///   stored, and then nothing has changed.
    public nonisolated func setLevel(
        _ level: CollectionLevel, of id: SensorID
    ) async throws(VirtualMachineError) {
        try await collector.setLevel(level, of: id)
    }

    /// Declares a published or virtual sensor, or changes its declaration; permanently.
    ///
    /// Stored samples with other fields are kept, and read with the new fields where they have
    /// them.
    ///
    /// - Returns: whether it was not declared before.
    /// - Throws: `sensorTaken` when a driver provides the sensor, or when it is declared as the
    ///   other sort, published or virtual; `invalidSensor` when there are too many; `diskFull` or
    ///   `storeFailed` when it could not be stored, and then nothing has changed.
    public nonisolated func declare(_ sensor: Sensor) async throws(VirtualMachineError) -> Bool {
        try await collector.declare(sensor)
    }

    /// Removes the declaration of a sensor; its samples stay, and can be read when it is declared
    /// again.
    ///
    /// - Throws: `unknownSensor` when it is not declared, `sensorTaken` when a driver provides it.
    public nonisolated func withdraw(_ id: SensorID) async throws(VirtualMachineError) {
        try await collector.withdraw(id)
    }
}

/// Samples that are not collected: published by clients, or played.
extension VirtualMachine {
    /// Stores samples that a client publishes; when this returns they are synced.
    ///
    /// ```swift
    /// let batch = SampleBatch([Sample(time: .now(), values: [.number(7)])], of: sensor.fields)
    /// ```
    ///
    /// - Parameter client: the client whose share of the budget the samples count towards; `nil`
    ///   for the owner.
    /// - Returns: the sequence number of the last one.
    /// - Throws: as ``checkPublishing(to:)``; `batchTooLarge`, `bufferFull`, `diskFull`;
    ///   `storeFailed` when they do not fit the sensor's fields, or could not be written.
    @discardableResult
    public nonisolated func publish(
        _ batch: SampleBatch, to id: SensorID, by client: String? = nil
    ) async throws(VirtualMachineError) -> Int64 {
        try await publisher.publish(batch, to: id, by: client) { () throws(VirtualMachineError) in
            try await self.checkPublishing(to: id)
        }
    }

    /// Stores a batch once, however often it is published under its idempotency key.
    ///
    /// A repeated batch gets the receipt of the first, for 24 hours and also after a restart; while
    /// the first is being stored, the call waits for it. At least the last 10 000 keys of a client
    /// are kept.
    ///
    /// - Throws: as ``publish(_:to:by:)``; `keyReused` when the key was used for another batch.
    public nonisolated func publish(
        _ batch: SampleBatch, to id: SensorID, by client: String? = nil, key: BatchKey
    ) async throws(VirtualMachineError) -> BatchReceipt {
        try await publisher.publish(batch, to: id, by: client, key: key) {
            () throws(VirtualMachineError) in
            try await self.checkPublishing(to: id)
        }
    }

    /// Checks whether clients can publish to a sensor now: whether it is declared and on.
    ///
    /// Clients cannot publish to a sensor that the host reads, so the statistics of such a sensor
    /// contain nothing that a client made.
    ///
    /// - Throws: `unknownSensor`, `unavailable`, `sensorComputed`, `sensorCollected` or
    ///   `sensorOff`.
    public nonisolated func checkPublishing(to id: SensorID) async throws(VirtualMachineError) {
        try await collector.checkPublishing(to: id)
    }

    /// Compares the time that a client wrote into its newest sample with the arrival of the sample, to estimate
    /// how far its clock is off; see ``SensorStatus/clock``.
    ///
    /// Has no effect on stored samples, and no effect at all for a sensor to which clients do not
    /// publish.
    public nonisolated func note(_ reading: ClockReading, of id: SensorID) async {
        await collector.note(reading, of: id)
    }

    /// The sensors with samples of their own that are computed from the samples of a sensor, in
    /// order.
    public nonisolated func derived(from id: SensorID) async -> [SensorID] {
        await collector.derived(from: id)
    }

    /// Whether clients may have published samples of the sensor or of one of its inputs.
    public nonisolated func isPublished(_ id: SensorID) async -> Bool {
        await collector.isPublished(id)
    }

    /// The sensors whose samples are a function of time, in order.
    public nonisolated var timedSensors: [SensorID] {
        get async { await collector.timedSensors }
    }

    /// The time of the first sample of some timed sensors after `time`; `nil` when there is none.
    public nonisolated func nextSample(
        of ids: some Sequence<SensorID>, after time: Timestamp
    ) async -> Timestamp? {
        await playback.nextSample(of: Array(ids), after: time)
    }

    /// Stores the samples of all timed sensors after `start` and up to and including `end`, sensor
    /// by sensor.
    ///
    /// When the task is cancelled, it stops between two pages of samples.
    ///
    /// - Throws: `storeFailed` and `diskFull` when they cannot be stored.
    public nonisolated func play(
        after start: Timestamp, through end: Timestamp
    ) async throws(VirtualMachineError) {
        try await playback.play(after: start, through: end)
    }

    /// Stores one sample of a timed sensor in addition to those of its source.
    ///
    /// - Throws: `unknownSensor` when it is not timed or is off; as ``play(after:through:)``.
    public nonisolated func play(
        _ sample: Sample, of id: SensorID
    ) async throws(VirtualMachineError) {
        try await playback.play(sample, of: id)
    }
}
