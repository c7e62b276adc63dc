public import Logging
import SampleStore
public import Samples

/// Collects samples from every sensor the machine has, as often as the person lets it.
///
/// There is one for a data directory: the initialiser is internal, and `start` takes a lock that
/// this process or any other can hold only once. A sensor that is off is not read and gains no row.
public actor VirtualMachine {
    private let directory: DataDirectory
    private let store: SampleStore
    private let drivers: [any SensorDriver]
    private let time: TimeSource
    private let logger: Logger
    private let executor = BlockingExecutor()
    private let started: Timestamp
    private var sensors: [SensorID: CollectedSensor] = [:]
    private var levels: [SensorID: CollectionLevel]
    private var isCollecting = false

    /// The level of a sensor that the person has said nothing about.
    public static let defaultLevel = CollectionLevel.medium
    /// Between two looks for hardware that came or went.
    static let discoveryInterval = Duration.seconds(30)
    /// The longest that an accepted sample waits for the file.
    static let flushInterval = Duration.milliseconds(500)

    init(
        directory: consuming DataDirectory, store: SampleStore, drivers: [any SensorDriver],
        levels: [SensorID: CollectionLevel], time: TimeSource, logger: Logger
    ) {
        self.directory = directory
        self.store = store
        self.drivers = drivers
        self.levels = levels
        self.time = time
        self.logger = logger
        started = time.now()
    }

    /// Takes the data directory, opens the store and finds the sensors; collects nothing yet.
    ///
    /// - Throws: `alreadyRunning` when a virtual machine, here or in another process, has it;
    ///   `dataUnusable` when it cannot be made or written; `storeFailed` when the file is damaged.
    public static func start(
        in path: String, drivers: [any SensorDriver], time: TimeSource = .system,
        logger: Logger = Logger(label: "nervous.vm")
    ) async throws(VirtualMachineError) -> VirtualMachine {
        let directory = try DataDirectory(locking: path)
        do {
            let store = try await SampleStore(path: path + "/samples.sqlite")
            var levels: [SensorID: CollectionLevel] = [:]
            for (name, level) in try await store.keptLevels() {
                guard let id = SensorID(name), let level = CollectionLevel(level) else { continue }
                levels[id] = level
            }
            let machine = VirtualMachine(
                directory: directory, store: store, drivers: drivers, levels: levels, time: time,
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

    /// - Returns: `nil` when no driver knows the sensor.
    public func status(of id: SensorID) async -> SensorStatus? {
        let newest = await store.newest(of: id)
        guard let known = sensors[id] else { return nil }
        return SensorStatus(
            sensor: known.sensor, state: known.state, level: level(of: id),
            failure: known.failure, failures: known.failures, newest: newest)
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
        let narrower = levels.keys.filter { $0 != id && id.covers($0) }
        do {
            try await store.keep(level: level.description, of: narrower + [id])
        } catch {
            throw Self.wrap(error)
        }
        for key in narrower + [id] { levels[key] = level }
        for key in sensors.keys where id.covers(key) {
            restart(key)
            await store.admit(level != .off, key)
        }
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

    /// The samples that arrived after `sequence`, in the order of arrival.
    public func arrivals(
        of id: SensorID, after sequence: Int64, limit: Int
    ) async throws(VirtualMachineError) -> [StoredSample] {
        do {
            return try await store.arrivals(of: id, after: sequence, limit: limit)
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
        let store = await store.status
        return VirtualMachineStatus(
            started: started, collecting: isCollecting,
            samples: store.accepted, buffered: store.buffered, dropped: store.dropped,
            bytes: store.bytes, failure: store.failure)
    }

    // MARK: - Collecting

    /// Collects until the task is cancelled, then acknowledges what was accepted.
    public func collect() async {
        isCollecting = true
        for id in sensors.keys { restart(id) }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepFlushing() }
            group.addTask { await self.keepDiscovering() }
        }
        isCollecting = false
        for id in sensors.keys { restart(id) }
        await flush()
    }

    /// Reads every sensor that is on once, without waiting for its next turn.
    ///
    /// For a person who asks while nothing collects; rates are taken over 200 ms.
    public func collectOnce() async {
        var readers: [(SensorID, Int, any SampleReader)] = []
        for (id, known) in sensors where level(of: id) != .off {
            if case .polled(let reader) = known.availability {
                readers.append((id, known.generation, reader))
            }
        }
        var unanswered: [(SensorID, Int, any SampleReader)] = []
        for (id, generation, var reader) in readers {
            if await !readOnce(&reader, id, generation) {
                unanswered.append((id, generation, reader))
            }
        }
        if !unanswered.isEmpty { try? await time.sleep(.milliseconds(200)) }
        for (id, generation, var reader) in unanswered {
            _ = await readOnce(&reader, id, generation)
        }
        await flush()
    }

    /// Acknowledges everything and lets go of the file and, with the last reference, of the lock.
    public func close() async {
        do {
            try await store.close()
        } catch {
            logger.error("\(error.message)")
        }
    }

    // MARK: - Private

    private func level(of id: SensorID) -> CollectionLevel {
        levels[id] ?? levels.filter { $0.key.covers(id) }.max { $0.key < $1.key }?.value
            ?? Self.defaultLevel
    }

    /// Looks for hardware; what is new is registered, what is gone becomes unavailable.
    private func discover() async throws(SampleStoreError) {
        let drivers = drivers
        let found = await Task(executorPreference: executor) {
            drivers.flatMap { $0.discover() }
        }.value
        var seen: Set<SensorID> = []
        for item in found where seen.insert(item.sensor.id).inserted {
            let id = item.sensor.id
            if case .unavailable = item.availability {
            } else {
                try await store.register(id, fields: item.sensor.fields)
                await store.admit(level(of: id) != .off, id)
            }
            adopt(item)
        }
        for id in sensors.keys where !seen.contains(id) {
            guard sensors[id]?.isUnavailable == false else { continue }
            sensors[id]?.availability = .unavailable(reason: "it was removed", remedy: nil)
            restart(id)
        }
    }

    private func adopt(_ item: DiscoveredSensor) {
        let id = item.sensor.id
        let known = sensors[id]
        if let known, known.sensor == item.sensor, !known.isUnavailable {
            if case .unavailable = item.availability {
            } else {
                return
            }
        }
        sensors[id, default: CollectedSensor(sensor: item.sensor, availability: item.availability)]
            .sensor = item.sensor
        sensors[id]?.availability = item.availability
        restart(id)
    }

    /// Ends the reading of a sensor and, when the person lets it be read, begins it anew.
    private func restart(_ id: SensorID) {
        guard var known = sensors[id] else { return }
        known.collection?.cancel()
        known.collection = nil
        known.generation += 1
        if isCollecting, let interval = level(of: id).interval(known.sensor.cadence) {
            known.collection = collection(
                of: id, known.availability, every: interval, generation: known.generation)
        }
        sensors[id] = known
    }

    private func collection(
        of id: SensorID, _ availability: Availability, every interval: Duration, generation: Int
    ) -> Task<Void, Never>? {
        switch availability {
        case .polled(let reader):
            Task(executorPreference: executor) {
                await self.poll(reader, id, every: interval, generation: generation)
            }
        case .pushed(let source):
            Task { await self.receive(source, id, generation: generation) }
        case .unavailable:
            nil
        }
    }

    private nonisolated func poll(
        _ reader: any SampleReader, _ id: SensorID, every interval: Duration, generation: Int
    ) async {
        var reader = reader
        while !Task.isCancelled {
            _ = await readOnce(&reader, id, generation)
            do {
                try await time.sleepToNextTick(every: interval)
            } catch {
                return
            }
        }
    }

    /// - Returns: whether the reader gave a sample or failed, and so needs no second read.
    private nonisolated func readOnce(
        _ reader: inout any SampleReader, _ id: SensorID, _ generation: Int
    ) async -> Bool {
        guard await isCurrent(id, generation) else { return true }
        do throws(SensorError) {
            guard let values = try reader.read() else { return false }
            await accept([Sample(time: time.now(), values: values)], from: id, generation)
        } catch {
            await note(error, of: id, generation)
        }
        return true
    }

    private func receive(_ source: any SampleSource, _ id: SensorID, generation: Int) async {
        do {
            for try await sample in source.samples() {
                guard isCurrent(id, generation) else { return }
                await accept([sample], from: id, generation)
            }
        } catch {
            note(
                error as? SensorError ?? SensorError(.gone, "\(id) ended: \(error)"), of: id,
                generation)
        }
    }

    private func isCurrent(_ id: SensorID, _ generation: Int) -> Bool {
        sensors[id]?.generation == generation && level(of: id) != .off
    }

    private func accept(_ samples: [Sample], from id: SensorID, _ generation: Int) async {
        do throws(SampleStoreError) {
            // The level may have changed while the sensor was read.
            guard isCurrent(id, generation) else { return }
            try await store.append(samples, to: id)
            sensors[id]?.failure = nil
        } catch {
            note(SensorError(.malformed, error.message), of: id, generation)
        }
    }

    private func note(_ error: SensorError, of id: SensorID, _ generation: Int) {
        guard var known = sensors[id], known.generation == generation else { return }
        if known.failure != error.message { logger.warning("\(error.message)") }
        known.failure = error.message
        known.failures += 1
        sensors[id] = known
        if error.code == .gone {
            sensors[id]?.availability = .unavailable(reason: error.message, remedy: nil)
            restart(id)
        }
    }

    private nonisolated func keepFlushing() async {
        while (try? await time.sleep(Self.flushInterval)) != nil { await flush() }
    }

    private nonisolated func keepDiscovering() async {
        while (try? await time.sleep(Self.discoveryInterval)) != nil {
            do {
                try await discover()
            } catch {
                await report(error)
            }
        }
    }

    private func flush() async {
        do {
            try await store.flush()
        } catch {
            report(error)
        }
    }

    private func report(_ error: SampleStoreError) {
        logger.error("\(error.message)")
    }

    private static func wrap(_ error: any Error) -> VirtualMachineError {
        if let own = error as? VirtualMachineError { return own }
        let message = (error as? SampleStoreError)?.message ?? "\(error)"
        return VirtualMachineError(.storeFailed, message, cause: error)
    }
}
