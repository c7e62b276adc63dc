import Motion
import Samples
import VM

/// One kind of sensor that is made of another.
struct DerivedKind: Sendable {
    private let id: SensorID
    private let title: String
    private let input: SensorID
    private let inputs: [Field]
    private let outputs: [Field]
    private let isToldMissing: Bool
    private let make: @Sendable () -> any SampleDeriver

    /// - Parameter isToldMissing: whether a machine without the input is told of.
    init<Made: DerivedSensor>(
        _ id: SensorID, _ title: String, of input: SensorID, isToldMissing: Bool = true,
        _ type: Made.Type, make: @escaping @Sendable () -> any SampleDeriver
    ) {
        (self.id, self.title, self.input) = (id, title, input)
        (inputs, outputs) = (Made.inputs, Made.outputs)
        (self.isToldMissing, self.make) = (isToldMissing, make)
    }

    func sensors(among all: [DiscoveredSensor]) -> [DiscoveredSensor] {
        let candidates = all.filter { input.covers($0.sensor.id) }
        let there = candidates.filter { !$0.isUnavailable }.map(\.sensor)
        guard !there.isEmpty else {
            guard isToldMissing || !candidates.isEmpty else { return [] }
            let missing = Set(candidates.map(\.sensor.id)).union([input])
            return missing.sorted().map { unavailable(of: $0, "it needs \($0)") }
        }
        return there.map { source in
            guard inputs.allSatisfy(source.fields.contains) else {
                let names = inputs.map(\.name).joined(separator: ", ")
                let unit = inputs.first?.unit.map { " in \($0)" } ?? ""
                return unavailable(of: source.id, "it needs \(names)\(unit) of \(source.id)")
            }
            return DiscoveredSensor(sensor(of: source.id), .derived(from: source.id, make()))
        }
    }

    private func unavailable(of source: SensorID, _ reason: String) -> DiscoveredSensor {
        DiscoveredSensor(
            sensor(of: source), .unavailable(reason: reason, remedy: nil))
    }

    private func sensor(of source: SensorID) -> Sensor {
        let instance = source.description.dropFirst(input.description.count)
        return Sensor(
            id: SensorID("\(id)\(instance)") ?? id, title: title, fields: outputs,
            source: "computed from \(source)", cadence: .asTheyCome)
    }
}
