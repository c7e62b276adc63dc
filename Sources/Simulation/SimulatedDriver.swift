public import Samples
public import VM

/// The sensors of a simulated machine.
///
/// ```swift
/// let driver = SimulatedDriver(SimulationState(Scenario(.walk, seed: 1)), only: ["accelerometer"])
/// ```
public struct SimulatedDriver: SensorDriver {
    private let simulation: SimulationState
    private let wanted: Set<SensorID>?

    /// - Parameter wanted: the sensors of the simulation to simulate; `nil` for all.
    public init(_ simulation: SimulationState, only wanted: Set<SensorID>? = nil) {
        self.simulation = simulation
        self.wanted = wanted
    }

    /// The kinds that can be simulated, in order.
    public static var sensors: [SensorID] { SimulatedSensor.all.map(\.id) }

    /// The fields of a sensor; `nil` for one that is not simulated.
    public static func fields(of sensor: SensorID) -> [Field]? {
        SimulatedSensor.all.first { $0.id == sensor }?.fields
    }

    public func discover() -> [DiscoveredSensor] {
        simulation.sensors.filter { wanted?.contains($0) ?? true }.compactMap { id in
            guard let kind = SimulatedSensor.all.first(where: { $0.id == id.kind }) else {
                return nil
            }
            let sensor = Sensor(
                id: id, title: kind.title, fields: kind.fields, source: kind.source,
                cadence: kind.cadence)
            return DiscoveredSensor(sensor, .timed(Source(simulation: simulation, sensor: sensor)))
        }
    }

    /// Takes a sample at every whole multiple of the interval, as real sensors are read.
    private struct Source: TimedSource {
        let simulation: SimulationState
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
            var last = start
            while batch.count < limit, let time = next(after: last, every: interval), time <= end,
                time > last, let sample = simulation.sample(sensor.id, at: time)
            {
                // Explicitly set values were checked against the fields before.
                guard batch.append(sample) else { break }
                last = time
            }
            return batch
        }
    }
}

/// The sensors of a simulated machine, with the fields and units of the real ones.
private enum SimulatedSensor {
    static let all: [Sensor] = [
        sensor("accelerometer", "Accelerometer", axes("m/s2"), .fast),
        sensor(
            "barometer", "Barometer", [Field("pressure", unit: "hPa")]),
        sensor(
            "battery", "Battery",
            [
                Field("level", unit: "%"), Field("state", kind: .state),
                Field("voltage", unit: "V"), Field("power", unit: "W"),
            ], .slow),
        sensor("cpu", "Processor load", ["busy", "core0", "core1"].map { Field($0, unit: "%") }),
        sensor("gyroscope", "Gyroscope", axes("rad/s"), .fast),
        sensor("humidity", "Hygrometer", [Field("humidity", unit: "%")]),
        sensor("light", "Ambient light sensor", [Field("illuminance", unit: "lx")]),
        sensor(
            "load", "System load",
            [
                Field("load1", unit: "1"), Field("load5", unit: "1"), Field("load15", unit: "1"),
                Field("runnable", unit: "{process}", kind: .integer),
                Field("total", unit: "{process}", kind: .integer),
            ]),
        sensor(
            "location", "Location",
            [
                Field("latitude", unit: "deg"), Field("longitude", unit: "deg"),
                Field("altitude", unit: "m"), Field("accuracy", unit: "m"),
                Field("speed", unit: "m/s"), Field("heading", unit: "deg"),
            ]),
        sensor("magnetometer", "Magnetometer", axes("uT"), .fast),
        sensor(
            "memory", "Memory",
            [
                "total", "available", "free", "buffers", "cached", "swapTotal", "swapFree", "used",
            ].map { Field($0, unit: "By", kind: .integer) } + [Field("usedPercent", unit: "%")]),
        sensor("noise", "Sound level", [Field("level", unit: "dB")]),
        sensor(
            "steps", "Step counter", [Field("steps", unit: "{step}", kind: .integer)]),
        sensor("temperature", "Thermometer", [Field("temperature", unit: "Cel")]),
    ]

    private static func sensor(
        _ id: SensorID, _ title: String, _ fields: [Field], _ cadence: Cadence = .standard
    ) -> Sensor {
        Sensor(id: id, title: title, fields: fields, source: "simulation", cadence: cadence)
    }

    private static func axes(_ unit: String) -> [Field] {
        ["x", "y", "z"].map { Field($0, unit: unit) }
    }
}

/// Sensors that replay recorded samples.
public struct RecordedDriver: SensorDriver {
    private let recordings: [(sensor: Sensor, samples: SampleBatch)]

    /// - Parameter recordings: sensors with their samples, by time.
    public init(_ recordings: [(sensor: Sensor, samples: SampleBatch)]) {
        self.recordings = recordings
    }

    public func discover() -> [DiscoveredSensor] {
        recordings.map { sensor, samples in
            DiscoveredSensor(sensor, .timed(Source(recorded: samples)))
        }
    }

    /// Returns the recorded samples at their times, regardless of the collection level.
    private struct Source: TimedSource {
        let recorded: SampleBatch

        func next(after time: Timestamp, every interval: Duration) -> Timestamp? {
            let row = firstRow(after: time)
            return row < recorded.count ? recorded.times[row] : nil
        }

        func samples(
            after start: Timestamp, through end: Timestamp, every interval: Duration, limit: Int
        ) -> SampleBatch {
            let first = firstRow(after: start)
            var last = min(first + limit, firstRow(after: end))
            // Samples of one time stay together, so that the next page omits none of them.
            while last > first, last < recorded.count, recorded.times[last] <= end,
                recorded.times[last] == recorded.times[last - 1]
            {
                last += 1
            }
            let rows = first..<max(first, last)
            return SampleBatch(
                times: Array(recorded.times[rows]), columns: recorded.columns.map { $0[rows] })
        }

        /// The number of samples up to and including `time`.
        private func firstRow(after time: Timestamp) -> Int {
            var (low, high) = (0, recorded.count)
            while low < high {
                let middle = (low + high) / 2
                if recorded.times[middle] <= time { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}
