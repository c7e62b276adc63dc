import Files
import Logging
import SampleStore
import Samples
import Scheduling

/// Owns the sensors: discovers them, keeps their levels and declarations, and runs the tasks that
/// collect them.
actor SensorCollector {
    private let store: SampleStore
    private let discovery: SensorDiscovery
    /// Runs reads, which block in system calls.
    private let executor: BlockingExecutor
    private let time: any TimeSource
    private let logger: Logger
    private var declared: DeclaredSensors
    private var sensors: SensorTable {
        didSet {
            guard sensors.version != reported else { return }
            reported = sensors.version
            tableChanges.send()
        }
    }
    /// Reports changes of the set of sensors, of their availability and of their levels.
    nonisolated let tableChanges = ChangeSignal()
    /// The version of the table when a change was reported last.
    private var reported = 0
    private var clocks: ClockOffsets
    private let clockFile: ClockOffsetFile
    /// Changes of levels and of declarations, one after the other.
    private var changes = SerialTasks()
    private var discoveries = SerialTasks()
    private(set) var isCollecting = false

    init(
        _ store: SampleStore, drivers: [any SensorDriver], derivers: [any SensorDeriver],
        declared: DeclaredSensors, levels: [SensorID: CollectionLevel], clocks: ClockOffsetFile,
        time: any TimeSource, logger: Logger
    ) {
        let executor = BlockingExecutor(label: "vm.reading")
        self.store = store
        self.executor = executor
        self.declared = declared
        clockFile = clocks
        self.clocks = ClockOffsets(clocks.read())
        self.time = time
        self.logger = logger
        discovery = SensorDiscovery(drivers: drivers, derivers: derivers, executor: executor)
        sensors = SensorTable(levels: levels)
    }

    // MARK: - Sensors

    func statuses() async -> [SensorStatus] {
        var statuses: [SensorStatus] = []
        for id in sensors.ids {
            if let status = await status(of: id) { statuses.append(status) }
        }
        return statuses
    }

    func sensor(_ id: SensorID) -> Sensor? { sensors[id]?.sensor }

    func status(of id: SensorID) async -> SensorStatus? {
        let now = time.now()
        var (stored, observed) = await store.recency(of: id)
        var future: Timestamp?
        if let latest = stored?.time, SampleReading.isFuture(latest, at: now) {
            future = latest
            // A sensor whose samples cannot be read is shown without a newest one.
            stored = try? await SampleReading(store: store).newest(of: id, at: now)
        }
        guard let known = sensors[id] else { return nil }
        // Samples may have been published under the name of a virtual sensor before.
        if known.sensor.derivation != nil { (stored, future, observed) = (nil, nil, nil) }
        let level = sensors.level(of: id)
        let interval = known.interval(at: level, observed: observed)
        let bounds = await adaptiveBounds(of: id)
        return SensorStatus(
            sensor: known.sensor, state: known.state, level: level,
            failure: known.failure, note: known.note ?? known.remark, failures: known.failures,
            newest: stored,
            future: future, interval: interval,
            freshness: stored.map { Freshness(of: $0.time, at: now, every: interval) },
            source: known.report, clock: known.report?.clock ?? clocks[id],
            adaptive: bounds.map { AdaptiveRange(bounds: $0, current: known.adaptiveInterval) })
    }

    func instances(of id: SensorID) -> [SensorID] {
        sensors.covered(by: id)
    }

    func readable(named name: SensorID) async -> [SensorID] {
        if sensors[name]?.isUnavailable == false { return [name] }
        var found: [SensorID] = []
        for id in sensors.covered(by: name) {
            guard let known = sensors[id] else { continue }
            if known.isUnavailable {
                guard await store.newest(of: id) != nil else { continue }
            }
            found.append(id)
        }
        return found.contains(name) ? [name] : found
    }

    func isOn(_ id: SensorID) -> Bool {
        sensors.level(of: id) != .off
    }

    /// Removes a sensor that is unavailable.
    func dismiss(_ id: SensorID) async {
        guard sensors[id]?.isUnavailable == true else { return }
        sensors.remove(id)
        clocks.remove(id)
        await store.admit(false, id)
    }

    // MARK: - Levels and declarations

    func setLevel(_ level: CollectionLevel, of id: SensorID) async throws(VirtualMachineError) {
        guard !sensors.covered(by: id).isEmpty else {
            throw VirtualMachineError.unknownSensor(id)
        }
        // One change at a time, so that memory and store end with the same level.
        try await changes.add { () throws(VirtualMachineError) in
            try await self.change(to: level, of: id)
        }.value.get()
    }

    func declare(_ sensor: Sensor) async throws(VirtualMachineError) -> Bool {
        try await changes.add { () throws(VirtualMachineError) in
            try await self.storeDeclaration(sensor)
        }.value.get()
    }

    func withdraw(_ id: SensorID) async throws(VirtualMachineError) {
        try await changes.add { () throws(VirtualMachineError) in
            try await self.removeDeclaration(id)
        }.value.get()
    }

    private func change(
        to level: CollectionLevel, of id: SensorID
    ) async throws(VirtualMachineError) {
        let names = sensors.replacedLevels(by: id)
        do {
            try await store.setLevel(level.description, of: names)
        } catch {
            throw VirtualMachineError(error)
        }
        sensors.setLevel(level, of: names)
        for key in sensors.covered(by: id) {
            restart(key)
            await store.admit(level != .off, key)
        }
    }

    private func storeDeclaration(_ sensor: Sensor) async throws(VirtualMachineError) -> Bool {
        let id = sensor.id
        let isNew = declared[id] == nil
        if isNew { try checkUntaken(id) }
        try declared.check(sensor)
        do {
            try await store.register(id, fields: sensor.fields)
        } catch {
            throw VirtualMachineError(error)
        }
        // Hardware of this name may have been discovered while the store was busy.
        if isNew { try checkUntaken(id) }
        try declared.set(sensor, for: id)
        sensors.suspend(id)
        sensors.set(sensor, .published)
        await store.admit(isOn(id), id)
        return isNew
    }

    private func removeDeclaration(_ id: SensorID) async throws(VirtualMachineError) {
        guard declared[id] != nil else {
            try checkUntaken(id)
            throw VirtualMachineError.unknownSensor(id)
        }
        try declared.set(nil, for: id)
        guard case .published? = sensors[id]?.availability else { return }
        sensors.remove(id)
        clocks.remove(id)
        await store.admit(false, id)
    }

    private func checkUntaken(_ id: SensorID) throws(VirtualMachineError) {
        guard sensors[id] == nil else {
            throw VirtualMachineError(
                .sensorTaken, "\(id) is a sensor of this machine.",
                hint: "Choose another name, such as my.\(id)")
        }
    }

    // MARK: - Published and timed sensors

    func checkPublishing(to id: SensorID) throws(VirtualMachineError) {
        try sensors.checkPublishing(to: id)
    }

    func isPublished(_ id: SensorID) -> Bool {
        sensors.isPublished(id, declared: declared)
    }

    func derived(from id: SensorID) -> [SensorID] { sensors.derived(from: id) }

    var timedSensors: [SensorID] {
        sensors.ids.filter { if case .timed? = sensors[$0]?.availability { true } else { false } }
    }

    /// The source of a timed sensor that is not off, its fields, and the interval between two of
    /// its samples.
    func timed(_ id: SensorID) -> TimedSensor? {
        guard let known = sensors[id], case .timed(let source) = known.availability,
            let interval = sensors.interval(of: id)
        else { return nil }
        return TimedSensor(source: source, fields: known.sensor.fields, interval: interval)
    }

    // MARK: - Clocks of sources

    func note(_ reading: ClockReading, of id: SensorID) {
        guard case .published? = sensors[id]?.availability else { return }
        clocks.note(reading, of: id)
    }

    /// Stores the clock offsets of sources and reports wrong clocks, at most once a minute.
    ///
    /// - Parameter isLast: whether the machine closes, so that small changes are stored, too.
    func keepClocks(isLast: Bool = false) async {
        guard isLast || clocks.isDue(at: time.now()) else { return }
        for id in sensors.ids { clocks.set(sensors[id]?.report?.clock, for: id) }
        for (id, offset) in clocks.takeWrong() {
            let seconds = offset.ahead.wholeMicroseconds / 1_000_000
            let place = seconds < 0 ? "behind" : "ahead of"
            logger.warning(
                "The clock of the source of \(id) is \(abs(seconds)) s \(place) this machine's.")
        }
        guard let offsets = clocks.unstored(isLast: isLast) else { return }
        let file = clockFile
        let failure = await Task(executorPreference: executor) { () -> String? in
            do {
                try file.write(offsets)
                return nil
            } catch {
                return (error as? FilesError)?.reason ?? "\(error)"
            }
        }.value
        if let failure {
            logger.error("The clock offsets of sources could not be stored: \(failure)")
        } else {
            clocks.didStore(offsets)
        }
    }

    // MARK: - Discovery

    /// Discovers at intervals and when a driver asks for it, until the task is cancelled.
    nonisolated func keepDiscovering() async {
        await discovery.keepRunning(time: time) {
            if let error = await self.discoverInTurn() { self.logger.error("\(error.message)") }
        }
    }

    /// Discovers after the discovery before has ended: older results must not replace newer ones.
    func discoverInTurn() async -> SampleStoreError? {
        let result = await discoveries.add { () throws(SampleStoreError) in
            try await self.discover()
        }.value
        guard case .failure(let error) = result else { return nil }
        return error
    }

    /// Registers new sensors, and makes missing ones unavailable.
    private func discover() async throws(SampleStoreError) {
        let found = await discovery.run(with: declared)
        var seen: Set<SensorID> = []
        for item in found where isCurrent(item) && seen.insert(item.sensor.id).inserted {
            let id = item.sensor.id
            if !item.isUnavailable {
                if let known = sensors[id], known.sensor.fields != item.sensor.fields {
                    // A sample that was read with the old fields must not be stored with the new.
                    sensors.suspend(id)
                }
                try await store.register(id, fields: item.sensor.fields)
                await store.admit(isOn(id), id)
            }
            if sensors.adopt(item) { restart(id) }
        }
        // A sensor that was declared during discovery is not among those that were found.
        for id in sensors.ids where !seen.contains(id) && declared[id] == nil {
            guard let known = sensors[id], !known.isUnavailable else { continue }
            var reason = "it was removed"
            if case .derived(let input, _) = known.availability { reason = "it needs \(input)" }
            sensors.setUnavailable(id, reason: reason)
            restart(id)
        }
    }

    /// Whether the declaration of a sensor did not change during discovery.
    private func isCurrent(_ item: DiscoveredSensor) -> Bool {
        guard case .published = item.availability else { return true }
        return declared[item.sensor.id] == item.sensor
    }

    // MARK: - Collecting

    func begin() {
        isCollecting = true
        for id in sensors.ids { restart(id) }
    }

    /// Stops all tasks, and returns when the devices that captured samples are released.
    func end() async {
        isCollecting = false
        for id in sensors.ids { restart(id) }
        for closing in sensors.closings { await closing.value }
    }

    /// Reads all polled sensors that are on.
    ///
    /// Sensors that have no value yet are read once more after 200 ms.
    func readOnce() async {
        var readers: [(SensorTask, any SampleReader)] = []
        for id in sensors.ids where isOn(id) {
            guard let known = sensors[id], case .polled(let reader) = known.availability else {
                continue
            }
            readers.append((task(known, every: .zero), reader))
        }
        let time = time
        await Task(executorPreference: executor) { [readers] in
            var unanswered: [(SensorTask, any SampleReader)] = []
            for (task, var reader) in readers where await !task.readOnce(&reader) {
                unanswered.append((task, reader))
            }
            if !unanswered.isEmpty { try? await time.sleep(for: .milliseconds(200)) }
            for (task, var reader) in unanswered { _ = await task.readOnce(&reader) }
        }.value
    }

    /// Stops the collection of a sensor, and starts it again when the sensor is on.
    private func restart(_ id: SensorID) {
        sensors.suspend(id)
        guard isCollecting, let known = sensors[id], let interval = sensors.interval(of: id) else {
            return
        }
        let isCapturing = SensorTask.captures(
            known.availability, at: sensors.level(of: id), every: interval)
        let work = task(known, every: interval).start(
            known.availability, isCapturing: isCapturing, after: known.closing, on: executor)
        sensors.begin(id, work, isCapturing: isCapturing)
    }

    private func task(_ known: CollectedSensor, every interval: Duration) -> SensorTask {
        SensorTask(
            known.sensor.id, generation: known.generation, every: interval, on: self,
            samples: SampleReading(store: store), time: time)
    }

    // MARK: - Results of tasks

    /// Whether what a task reads may be stored.
    func isCurrent(_ task: SensorTask) -> Bool {
        sensors.isCurrent(task.id, task.generation)
    }

    /// Stores samples that a task read.
    func accept(_ samples: [Sample], from task: SensorTask) async {
        do throws(SampleStoreError) {
            // The level may have changed while the sensor was read.
            guard isCurrent(task) else { return }
            try await store.append(samples, to: task.id)
            if isCurrent(task) { sensors.noteSuccess(of: task.id) }
        } catch {
            fail(task, SensorError(.malformed, error.message))
        }
    }

    /// Records that a task could not read its sensor.
    func fail(_ task: SensorTask, _ error: SensorError) {
        guard sensors[task.id]?.generation == task.generation else { return }
        if sensors.noteFailure(error.message, of: task.id) { logger.warning("\(error.message)") }
        guard error.code == .gone else { return }
        sensors.setUnavailable(task.id, reason: error.message)
        restart(task.id)
    }

    /// The intervals that a sensor may have at the level `auto`; `nil` at other levels, and for sensors that the
    /// host does not read.
    ///
    /// While someone follows its samples, or a virtual sensor is computed from them, it is read at least as often
    /// as at the level `medium`, and more often where a derived sensor such as `steps` requires it.
    func adaptiveBounds(of id: SensorID) async -> ClosedRange<Duration>? {
        guard sensors.level(of: id) == .auto, let known = sensors[id],
            case .polled = known.availability
        else { return nil }
        var isNeeded = sensors.isInput(id)
        if !isNeeded { isNeeded = await store.hasListeners(for: id) }
        return AdaptiveInterval.bounds(
            known.sensor.cadence, isNeeded: isNeeded, longest: sensors.longestInterval(of: id))
    }

    /// Records the interval until a task reads its sensor again, at the level `auto`.
    func setInterval(_ interval: Duration, of task: SensorTask) {
        guard isCurrent(task) else { return }
        sensors.setAdaptiveInterval(interval, of: task.id)
    }

    /// Records a remark about how a task reads its sensor.
    func note(_ text: String, on task: SensorTask) {
        guard sensors[task.id]?.generation == task.generation else { return }
        logger.notice("\(task.id) \(text)")
        sensors.note(text, of: task.id)
    }
}

/// Asks the drivers and derivers for the sensors that exist now.
private struct SensorDiscovery: Sendable {
    /// The interval at which hardware that came or went is discovered.
    private static let interval = Duration.seconds(30)
    /// The pause after a discovery that a driver asked for, which bounds the rate of such
    /// discoveries.
    private static let pause = Duration.seconds(1)

    let drivers: [any SensorDriver]
    let derivers: [any SensorDeriver]
    let executor: BlockingExecutor

    /// The sensors in the order of precedence: hardware comes before declared sensors of the same
    /// name, and unavailable sensors come last.
    func run(with declared: DeclaredSensors) async -> [DiscoveredSensor] {
        let (drivers, derivers) = (drivers + [declared], derivers)
        return await Task(executorPreference: executor) {
            let own = drivers.flatMap { $0.discover() }
            let derived = derivers.flatMap { $0.discover(among: own) }
            let available = (own + derived).filter { !$0.isUnavailable }
            return available + (derived + own).filter(\.isUnavailable)
        }.value
    }

    func keepRunning(
        time: any TimeSource, _ discover: @escaping @Sendable () async -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while (try? await time.sleep(for: Self.interval)) != nil { await discover() }
            }
            for changes in drivers.compactMap({ $0.changes() }) {
                group.addTask {
                    for await _ in changes {
                        await discover()
                        try? await time.sleep(for: Self.pause)
                    }
                }
            }
        }
    }
}

/// Runs operations one after the other, in the order in which they were added.
private struct SerialTasks {
    private var last: Task<Void, Never>?

    mutating func add<Success: Sendable, Failure: Error>(
        _ operation: @escaping @Sendable () async throws(Failure) -> Success
    ) -> Task<Result<Success, Failure>, Never> {
        let before = last
        let task = Task { () -> Result<Success, Failure> in
            await before?.value
            do throws(Failure) {
                return .success(try await operation())
            } catch {
                return .failure(error)
            }
        }
        last = Task { _ = await task.value }
        return task
    }
}
