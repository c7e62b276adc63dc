import Ingest
import Samples
import Scheduling
import Simulation
import VM

/// A simulated sensor in real time.
///
/// Reads `sensor`, `scenario`, `seed`, `rate` (samples per second) and `speed` (of the scenario
/// relative to real time).
struct SimulatedConnector: ConnectorKind {
    static let kind = "simulated"
    static let standardFormat: String? = "named"
    static let consequence = "Its samples are simulated, not measured."

    private let scenario: Scenario.Kind
    private let sensor: SensorID
    private let seed: UInt64
    private let rate: Double
    private let speed: Double

    init(_ source: inout PackObject) throws(PackError) {
        let name = try source.requiredText("sensor")
        guard let sensor = SensorID(name), SimulatedDriver.fields(of: sensor) != nil else {
            let names = SimulatedDriver.sensors.map(\.description).joined(separator: ", ")
            throw source.wrong("sensor", "is not one of \(names)")
        }
        self.sensor = sensor
        scenario = try source.choice("scenario", of: Scenario.Kind.self) ?? .still
        seed = UInt64(try source.integer("seed", in: 0...Int(Int32.max)) ?? 1)
        rate = try source.number("rate", in: 0.001...1000) ?? 1
        speed = try source.number("speed", in: 0.01...100_000) ?? 1
    }

    var sourceName: String { "simulation, \(scenario.rawValue)" }

    func connect(_ sink: SampleSink) async throws {
        let names = (SimulatedDriver.fields(of: sensor) ?? []).map(\.name)
        let clock = ContinuousClock()
        let (begin, start) = (clock.now, Timestamp.now())
        let scenario = Scenario(scenario, seed: seed, start: start)
        // Aligned so that sensors of one rate wake the processor together.
        let wait = start.durationToTick(every: .seconds(1) / rate)
        sink.connected()
        var number = 0
        while true {
            let passed = Double(number) / rate * speed
            let time = start.advanced(byMicroseconds: Int64(passed * 1e6))
            if let sample = scenario.sample(sensor, at: time) {
                let values = Dictionary(uniqueKeysWithValues: zip(names, sample.values))
                sink.take(Reading(values: values))
            }
            let due = begin.advanced(by: wait + .seconds(Double(number) / rate))
            number += 1
            try await clock.sleep(until: due)
        }
    }
}
