public import API
import Auth
import Connectors
import Samples
public import VM

extension SensorDescription {
    init(_ status: SensorStatus, _ permission: SensorPermission, seesNewest: Bool) {
        var unavailable: Unavailability?
        if case .unavailable(let reason, let remedy) = status.state {
            unavailable = Unavailability(reason: reason, remedy: remedy)
        }
        self.init(
            id: status.sensor.id.description, title: status.sensor.title,
            fields: status.sensor.fields.map(FieldDescription.init),
            mainField: status.sensor.mainField?.name, source: status.sensor.source,
            definition: status.sensor.derivation.map { VirtualDefinition($0) },
            available: unavailable == nil, unavailable: unavailable,
            level: status.level.description,
            // The interval reveals whether the values change.
            interval: seesNewest ? status.adaptive.map(Interval.init) : nil,
            access: permission.rawValue,
            newest: seesNewest ? status.newest?.time.milliseconds : nil,
            age: seesNewest ? status.freshness?.age.milliseconds : nil,
            stale: seesNewest ? status.freshness?.isStale : nil,
            future: seesNewest ? status.future?.milliseconds : nil,
            clock: seesNewest ? status.clock.map(Clock.init) : nil, failure: status.failure,
            failures: status.failures,
            connection: seesNewest ? status.source.map(ConnectionReport.init) : nil,
            note: status.note)
    }
}

extension SensorDescription.Interval {
    fileprivate init(_ range: AdaptiveRange) {
        self.init(
            current: range.current?.milliseconds, shortest: range.bounds.lowerBound.milliseconds,
            longest: range.bounds.upperBound.milliseconds)
    }
}

extension SensorDescription.Clock {
    fileprivate init(_ clock: ClockOffset) {
        self.init(
            offset: clock.ahead.milliseconds, measured: clock.measured.milliseconds,
            wrong: clock.isWrong)
    }
}

extension Duration {
    fileprivate var milliseconds: Double { Double(wholeMicroseconds) / 1000 }
}

extension SensorDescription.FieldDescription {
    init(_ field: Field) {
        self.init(name: field.name, unit: field.unit, kind: field.kind.rawValue)
    }
}

extension ConnectionReport {
    init(_ report: SourceReport) {
        self.init(
            state: report.link.rawValue, connections: report.connections,
            received: report.received, taken: report.accepted, late: report.late,
            dropped: Dropped(
                malformed: report.dropped.malformed, incomplete: report.dropped.incomplete,
                invalidTimestamp: report.dropped.invalidTimestamp,
                repeated: report.dropped.repeated,
                excess: report.dropped.excess),
            problem: report.problem)
    }
}

extension VirtualDefinition {
    /// The definition of a stored pipeline.
    public init(name: String? = nil, title: String? = nil, _ derivation: Derivation) {
        self.init(
            name: name, title: title, inputs: derivation.inputs, window: derivation.window,
            slide: derivation.slide,
            outputs: derivation.outputs.map {
                Output(name: $0.name, unit: $0.unit, of: $0.of, by: $0.by, every: $0.every)
            })
    }

    var derivation: Derivation {
        Derivation(
            inputs: inputs, window: window, slide: slide,
            outputs: outputs.map {
                Derivation.Output(
                    name: $0.name, unit: $0.unit, of: $0.of, by: $0.by, every: $0.every)
            })
    }
}

extension PackDescription {
    init(_ pack: SensorPack, isInstalled: Bool) {
        self.init(
            id: pack.id.description, title: pack.title, version: pack.version,
            description: pack.explanation, kind: pack.kind, place: pack.connector.sourceName,
            consequence: pack.consequence,
            fields: pack.sensor.fields.map(SensorDescription.FieldDescription.init),
            installed: isInstalled)
    }
}
