import Samples
import Synchronization
import VM

/// Pushed sensors whose samples are sent by a test.
final class TestDriver: SensorDriver {
    private final class Source: SampleSource {
        let output = Mutex<AsyncThrowingStream<Sample, any Error>.Continuation?>(nil)

        func samples() -> AsyncThrowingStream<Sample, any Error> {
            let (stream, continuation) = AsyncThrowingStream.makeStream(of: Sample.self)
            output.withLock { $0 = continuation }
            return stream
        }
    }

    private let sensors: [(sensor: Sensor, source: Source)]

    init(_ sensors: [(id: SensorID, fields: [Field])]) {
        self.sensors = sensors.map { id, fields in
            (
                Sensor(
                    id: id, title: "\(id)", fields: fields, source: "a test",
                    cadence: .asTheyCome), Source()
            )
        }
    }

    func discover() -> [DiscoveredSensor] {
        sensors.map { DiscoveredSensor($0, .pushed($1)) }
    }

    /// Delivers samples of a sensor.
    ///
    /// - Returns: whether the samples were received: `false` if nothing collects the sensor.
    @discardableResult
    func feed(_ samples: [Sample], to id: SensorID) -> Bool {
        guard let source = sensors.first(where: { $0.sensor.id == id })?.source,
            let output = source.output.withLock({ $0 })
        else { return false }
        for sample in samples {
            if case .terminated = output.yield(sample) { return false }
        }
        return true
    }
}
