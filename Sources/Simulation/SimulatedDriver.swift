public import Samples
public import VM

/// The sensors of a made-up machine.
public struct SimulatedDriver: SensorDriver {
    private let stage: Stage
    private let wanted: Set<SensorID>?

    /// - Parameter wanted: the kinds that are there at all; every one when it is `nil`.
    public init(_ stage: Stage, only wanted: Set<SensorID>? = nil) {
        self.stage = stage
        self.wanted = wanted
    }

    /// The names of all that can be simulated, in order.
    public static var sensors: [SensorID] { SimulatedSensor.all.map(\.id) }

    /// The fields of a sensor; `nil` for one that is not simulated.
    public static func fields(of sensor: SensorID) -> [Field]? {
        SimulatedSensor.all.first { $0.id == sensor }?.fields
    }

    public func discover() -> [DiscoveredSensor] {
        SimulatedSensor.all.filter { wanted?.contains($0.id) ?? true }.map { sensor in
            DiscoveredSensor(sensor, .timed(Source(stage: stage, sensor: sensor)))
        }
    }

    /// Takes a sample at every whole multiple of the interval, as real sensors are read.
    private struct Source: TimedSource {
        let stage: Stage
        let sensor: Sensor

        func next(after time: Timestamp, every interval: Duration) -> Timestamp? {
            let step = max(1, interval.wholeMicroseconds)
            let phase = time.microseconds % step
            return time.advanced(byMicroseconds: step - (phase < 0 ? phase + step : phase))
        }

        func samples(
            after start: Timestamp, through end: Timestamp, every interval: Duration, limit: Int
        ) -> SampleBatch {
            var batch = SampleBatch(of: sensor.fields)
            var place = start
            while batch.count < limit, let time = next(after: place, every: interval), time <= end,
                time > place, let sample = stage.sample(sensor.id, at: time)
            {
                // What was set by hand was held against the fields before.
                guard batch.append(sample) else { break }
                place = time
            }
            return batch
        }
    }
}
