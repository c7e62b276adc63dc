import API
import Auth
import Ingest
import Samples
import VM

/// Assembles the data points of metrics to readings of sensors, and counts those that are rejected.
///
/// Data points of one sensor and time are one reading, which is stored if it has all fields of the sensor.
struct MetricIntake {
    /// The maximum number of messages of an answer.
    private static let longestList = 10
    /// The maximum number of sensors of a body.
    private static let maximumSensors = 64

    private struct Place: Hashable {
        let sensor: SensorID
        let time: Timestamp
    }

    /// A reading with the number of its data points.
    private struct Draft {
        let fields: [Field]
        var time: Timestamp?
        var values: [String: Value] = [:]
        var points = 0
        var metric: String
    }

    private let machine: VirtualMachine
    private let arrival: Timestamp
    private var targets: LineTargets
    private var drafts: [Place: Draft] = [:]
    private var order: [Place] = []
    private var sensors: Set<SensorID> = []
    private var messages: [String] = []
    private var rejected = 0

    /// - Parameter targets: finds the sensors that the client may publish to.
    init(_ targets: LineTargets, machine: VirtualMachine, arrival: Timestamp) {
        (self.targets, self.machine, self.arrival) = (targets, machine, arrival)
    }

    /// Counts the data points that the reader rejected.
    mutating func note(_ content: MetricsContent) {
        for (rejection, count) in content.rejected.sorted(by: { $0.key.metric < $1.key.metric }) {
            reject(count, of: rejection.metric, rejection.reason.words)
        }
    }

    mutating func add(_ point: MetricPoint) async {
        var first: SensorID?
        for (kind, field) in point.targets {
            if first == nil { first = kind }
            guard let choice = await targets.existing(of: kind) else {
                return reject(1, of: point.name, DropReason.tooManySensors.words)
            }
            guard let id = point.sensors(of: kind).first(where: choice.contains),
                let sensor = await machine.sensor(id)
            else { continue }
            return take(point, field, of: sensor)
        }
        // Publishing to a sensor that does not exist or is not granted is refused, and recorded.
        guard let first else { return reject(1, of: point.name, DropReason.unknownName.words) }
        guard isAllowed(first) else {
            return reject(1, of: point.name, DropReason.tooManySensors.words)
        }
        let place = Place(sensor: first, time: point.time ?? arrival)
        update(place, [], point) { _ in }
    }

    /// The readings that fit their sensors; the others are rejected.
    mutating func takeReadings() -> [PushedReading] {
        var readings: [PushedReading] = []
        for place in order {
            guard let draft = drafts[place] else { continue }
            let reading = Reading(time: draft.time, values: draft.values)
            do throws(DropReason) {
                // A sensor that the client may not publish to has no known fields.
                if !draft.fields.isEmpty {
                    _ = try reading.sample(of: draft.fields, arrival: arrival)
                }
                readings.append(PushedReading(place.sensor, reading))
            } catch {
                reject(draft.points, of: draft.metric, error.words)
                drafts[place] = nil
            }
        }
        return readings
    }

    /// The answer after the readings were delivered.
    func reply(about delivery: PushDelivery) -> ExportMetricsReply {
        var (count, messages) = (rejected + delivery.dropped.values.reduce(0, +), messages)
        for refusal in delivery.refused {
            count += drafts.filter { $0.key.sensor == refusal.sensor }.values
                .reduce(0) { $0 + $1.points }
            if messages.count < Self.longestList { messages.append(refusal.problem.detail) }
        }
        guard count > 0 else { return ExportMetricsReply() }
        return ExportMetricsReply(rejected: count, message: messages.joined(separator: " "))
    }

    // MARK: - Private

    private mutating func take(_ point: MetricPoint, _ field: String?, of sensor: Sensor) {
        guard isAllowed(sensor.id) else {
            return reject(1, of: point.name, DropReason.tooManySensors.words)
        }
        var values: [String: Value]
        switch point.content {
        case .value(let value):
            let only = sensor.fields.count == 1 ? sensor.fields[0].name : "value"
            values = [field ?? only: value]
        case .summary(let summary): values = summary
        }
        let known = sensor.fields.filter { values[$0.name] != nil }
        guard !known.isEmpty else {
            return reject(1, of: point.name, "\(sensor.id) has no field for it")
        }
        values = values.filter { name, _ in known.contains { $0.name == name } }
        // The count of a histogram has no dimension.
        let measured = known.filter { $0.name != "count" || point.isValue }
        if let other = measured.first(where: { !Self.sameUnit(point.unit, $0.unit) }) {
            return reject(
                1, of: point.name,
                "its unit is not \(other.unit ?? "that of a text"), that of \(sensor.id)")
        }
        let place = Place(sensor: sensor.id, time: point.time ?? arrival)
        if let draft = drafts[place], values.keys.contains(where: { draft.values[$0] != nil }) {
            return reject(1, of: point.name, "\(sensor.id) has another value at this time")
        }
        update(place, sensor.fields, point) { $0.merge(values) { first, _ in first } }
    }

    private mutating func update(
        _ place: Place, _ fields: [Field], _ point: MetricPoint,
        _ change: (inout [String: Value]) -> Void
    ) {
        sensors.insert(place.sensor)
        if drafts[place] == nil {
            order.append(place)
            drafts[place] = Draft(fields: fields, time: point.time, metric: point.name)
        }
        guard var draft = drafts[place] else { return }
        change(&draft.values)
        draft.points += 1
        drafts[place] = draft
    }

    private func isAllowed(_ sensor: SensorID) -> Bool {
        sensors.contains(sensor) || sensors.count < Self.maximumSensors
    }

    private mutating func reject(_ count: Int, of metric: String, _ words: String) {
        rejected += count
        let message = "\(metric.prefix(80).debugDescription): \(words)."
        if messages.count < Self.longestList, !messages.contains(message) {
            messages.append(message)
        }
    }

    /// Whether two UCUM units are the same except for annotations; a missing one is any.
    private static func sameUnit(_ given: String, _ own: String?) -> Bool {
        func plain(_ unit: String) -> String {
            let bare = unit.replacing(/\{[^}]*\}/, with: "")
            return bare.isEmpty ? "1" : bare
        }
        return given.isEmpty || own.map { plain($0) == plain(given) } == true
    }
}

extension MetricPoint {
    fileprivate var isValue: Bool {
        if case .value = content { true } else { false }
    }
}
