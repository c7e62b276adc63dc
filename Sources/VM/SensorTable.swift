import Samples

/// The sensors that the virtual machine knows, their levels, and how each is collected now.
///
/// It belongs to the ``SensorCollector``, which starts and stops the tasks.
struct SensorTable {
    private var sensors: [SensorID: CollectedSensor] = [:]
    /// Counts changes of the set of sensors, of their availability and of their levels.
    private(set) var version = 0
    /// The levels that the owner has set, of sensors and of kinds.
    private var levels: [SensorID: CollectionLevel]

    init(levels: [SensorID: CollectionLevel]) {
        self.levels = levels
    }

    // MARK: - Sensors

    subscript(id: SensorID) -> CollectedSensor? { sensors[id] }

    var ids: [SensorID] { sensors.keys.sorted() }

    /// The tasks that return their devices to the state before the capture.
    var closings: [Task<Void, Never>] { sensors.values.compactMap(\.closing) }

    /// The known sensors of a kind, or the sensor with that identifier.
    func covered(by id: SensorID) -> [SensorID] {
        sensors.keys.filter(id.covers).sorted()
    }

    /// Whether samples that were read under `generation` may be stored.
    func isCurrent(_ id: SensorID, _ generation: Int) -> Bool {
        sensors[id]?.generation == generation && level(of: id) != .off
    }

    /// Checks whether clients can publish to a sensor now.
    ///
    /// - Throws: see ``VirtualMachine/checkPublishing(to:)``.
    func checkPublishing(to id: SensorID) throws(VirtualMachineError) {
        guard let known = sensors[id] else { throw VirtualMachineError.unknownSensor(id) }
        if case .unavailable(let reason, let remedy) = known.state {
            throw VirtualMachineError.unavailable(id, id, reason: reason, remedy: remedy)
        }
        guard known.sensor.derivation == nil else {
            throw VirtualMachineError(
                .sensorComputed, "\(id) is virtual: its samples are computed, not published.")
        }
        guard case .published = known.availability else {
            throw VirtualMachineError(
                .sensorCollected, "\(id) is read by the host, so clients cannot publish to it.",
                hint: "Publish to a sensor of your own: nervous sensors add NAME")
        }
        guard level(of: id) != .off else {
            throw VirtualMachineError(
                .sensorOff, "\(id) is off.",
                hint: "Switch it on with: nervous sensors set \(id) low")
        }
    }

    /// The sensors that are computed sample by sample from a sensor, sorted.
    func derived(from id: SensorID) -> [SensorID] {
        sensors.compactMap { key, known in
            if case .derived(from: id, _) = known.availability { key } else { nil }
        }.sorted()
    }

    /// The longest interval between samples of a sensor that suits all sensors computed from them
    /// sample by sample; `nil` if every interval does.
    func longestInterval(of id: SensorID) -> Duration? {
        sensors.compactMap { key, known in
            guard case .derived(from: id, let deriver) = known.availability, level(of: key) != .off
            else { return nil }
            return deriver.longestInterval
        }.min()
    }

    /// Whether a virtual sensor is computed from a sensor.
    func isInput(_ id: SensorID) -> Bool {
        sensors.values.contains { $0.sensor.derivation?.sensors.contains(id) == true }
    }

    /// Whether clients may have published samples of the sensor or of one of its inputs.
    func isPublished(_ id: SensorID, declared: DeclaredSensors) -> Bool {
        guard let known = sensors[id] else { return false }
        if let derivation = known.sensor.derivation {
            return derivation.sensors.contains { isPublished($0, declared: declared) }
        }
        // Hardware may have replaced a declared sensor, whose published samples stay.
        if declared[id] != nil { return true }
        return switch known.availability {
        case .published: true
        case .derived(let input, _): isPublished(input, declared: declared)
        case .polled, .pushed, .timed, .unavailable: false
        }
    }

    /// Adds a sensor, or replaces its entry.
    ///
    /// - Returns: whether its collection must be restarted.
    mutating func adopt(_ item: DiscoveredSensor) -> Bool {
        let id = item.sensor.id
        if let known = sensors[id], known.sensor == item.sensor, !known.isUnavailable {
            switch (item.availability, known.availability) {
            case (.unavailable, _): break
            case (.pushed(let found), .pushed(let source)) where found !== source: break
            default: return false
            }
        }
        set(item.sensor, item.availability)
        return true
    }

    mutating func set(_ sensor: Sensor, _ availability: Availability) {
        sensors[
            sensor.id, default: CollectedSensor(sensor: sensor, availability: availability)
        ].sensor = sensor
        sensors[sensor.id]?.availability = availability
        version += 1
    }

    mutating func setUnavailable(_ id: SensorID, reason: String) {
        sensors[id]?.availability = .unavailable(reason: reason, remedy: nil)
        version += 1
    }

    mutating func remove(_ id: SensorID) {
        suspend(id)
        sensors[id] = nil
        version += 1
    }

    // MARK: - Levels

    /// The level of a sensor: its own, else the level of the most specific kind that has one.
    func level(of id: SensorID) -> CollectionLevel {
        var kind: SensorID? = levels.isEmpty ? nil : id
        while let named = kind {
            if let level = levels[named] { return level }
            kind = named.parent
        }
        return VirtualMachine.defaultLevel
    }

    /// The interval between two samples of a sensor; `nil` when it is unknown or off.
    func interval(of id: SensorID) -> Duration? {
        sensors[id].flatMap { level(of: id).interval($0.sensor.cadence) }
    }

    /// The identifiers whose levels are replaced by a level of `id`: itself and its instances.
    func replacedLevels(by id: SensorID) -> [SensorID] {
        levels.keys.filter { $0 != id && id.covers($0) } + [id]
    }

    mutating func setLevel(_ level: CollectionLevel, of ids: [SensorID]) {
        for id in ids { levels[id] = level }
        version += 1
    }

    // MARK: - Collection

    /// Records the task that collects a sensor from now on.
    ///
    /// - Parameter isCapturing: whether its device takes the samples, and must be released
    ///   afterwards.
    mutating func begin(_ id: SensorID, _ collection: Task<Void, Never>?, isCapturing: Bool) {
        sensors[id]?.collection = collection
        sensors[id]?.isCapturing = isCapturing
    }

    /// Ends the collection of a sensor; samples that are being read meanwhile are not stored.
    mutating func suspend(_ id: SensorID) {
        guard var known = sensors[id] else { return }
        known.collection?.cancel()
        if known.isCapturing { known.closing = known.collection }
        known.isCapturing = false
        known.note = nil
        known.adaptiveInterval = nil
        known.collection = nil
        known.generation += 1
        sensors[id] = known
    }

    mutating func noteSuccess(of id: SensorID) {
        sensors[id]?.failure = nil
    }

    /// Counts a failure to read a sensor.
    ///
    /// - Returns: whether it differs from the failure before.
    mutating func noteFailure(_ message: String, of id: SensorID) -> Bool {
        guard var known = sensors[id] else { return false }
        let isNew = known.failure != message
        known.failure = message
        known.failures += 1
        sensors[id] = known
        return isNew
    }

    mutating func setAdaptiveInterval(_ interval: Duration, of id: SensorID) {
        sensors[id]?.adaptiveInterval = interval
    }

    mutating func note(_ text: String, of id: SensorID) {
        sensors[id]?.note = text
    }
}

/// One sensor as the virtual machine collects it.
struct CollectedSensor {
    fileprivate(set) var sensor: Sensor
    fileprivate(set) var availability: Availability
    /// The last failure to read it, until a read succeeds.
    fileprivate(set) var failure: String?
    fileprivate(set) var failures = 0
    /// The task that reads it; `nil` while it is off or unavailable, or while nothing is collected.
    fileprivate var collection: Task<Void, Never>?
    /// Whether that task captures samples from the device's buffer, and must release it.
    fileprivate var isCapturing = false
    /// The task that releases the device; the device is not read before this task has ended.
    fileprivate(set) var closing: Task<Void, Never>?
    /// The interval until its next read at the level `auto`.
    fileprivate(set) var adaptiveInterval: Duration?
    /// A remark about how it is read.
    fileprivate(set) var note: String?
    /// Incremented with every change, so that a sample read before the change is not stored.
    fileprivate(set) var generation = 0

    fileprivate init(sensor: Sensor, availability: Availability) {
        self.sensor = sensor
        self.availability = availability
    }

    var state: SensorStatus.State {
        guard case .unavailable(let reason, let remedy) = availability else { return .available }
        return .unavailable(reason: reason, remedy: remedy)
    }

    /// What its reader remarks.
    var remark: String? {
        if case .polled(let reader) = availability { reader.remark } else { nil }
    }

    var report: SourceReport? {
        guard case .pushed(let source) = availability else { return nil }
        return source.report
    }

    var isUnavailable: Bool { availability.isUnavailable }
}
