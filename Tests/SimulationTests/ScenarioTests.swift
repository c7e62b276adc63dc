import Samples
import Simulation
import Testing
import VM

/// The samples of simulated sensors.
struct ScenarioTests {
    private static let minute: Int64 = 60_000_000

    /// The samples of a sensor over some minutes, `step` microseconds apart.
    private func numbers(
        _ kind: Scenario.Kind, _ sensor: SensorID, _ field: String, seed: UInt64 = 7,
        minutes: Int64 = 1, step: Int64 = 100_000
    ) throws -> [Double] {
        let scenario = Scenario(kind, seed: seed)
        let fields = try #require(SimulatedDriver.fields(of: sensor))
        let column = try #require(fields.firstIndex { $0.name == field })
        return try stride(from: 0, to: minutes * Self.minute, by: Int(step)).map { offset in
            let time = scenario.start.advanced(byMicroseconds: offset)
            let sample = try #require(scenario.sample(sensor, at: time))
            return try #require(sample.values[column].double)
        }
    }

    private func mean(_ numbers: [Double]) -> Double {
        numbers.reduce(0, +) / Double(numbers.count)
    }

    private func deviation(_ numbers: [Double]) -> Double {
        let middle = mean(numbers)
        let squares = numbers.map { ($0 - middle) * ($0 - middle) }
        return (squares.reduce(0, +) / Double(numbers.count - 1)).squareRoot()
    }

    @Test(arguments: Scenario.Kind.allCases)
    func `a sample depends on seed and time only`(kind: Scenario.Kind) throws {
        let times = (0..<50).map { Scenario.standardStart.advanced(byMicroseconds: $0 * 7_310_211) }
        for sensor in SimulatedDriver.sensors {
            let scenario = Scenario(kind, seed: 3)
            let forward = times.map { scenario.sample(sensor, at: $0) }
            let backward = times.reversed().map { Scenario(kind, seed: 3).sample(sensor, at: $0) }
            #expect(forward == backward.reversed(), "\(sensor)")
            #expect(forward.allSatisfy { $0 != nil }, "\(sensor)")
            let fields = try #require(SimulatedDriver.fields(of: sensor))
            for sample in forward.compactMap(\.self) {
                #expect(sample.values.count == fields.count)
                #expect(zip(sample.values, fields).allSatisfy { $0.fits($1.kind) }, "\(sensor)")
            }
        }
    }

    @Test func `another seed gives other samples`() throws {
        let one = try numbers(.walk, "accelerometer", "z", seed: 1)
        let other = try numbers(.walk, "accelerometer", "z", seed: 2)
        #expect(one != other)
        #expect(zip(one, other).filter { $0 == $1 }.count < one.count / 20)
    }

    @Test func `a device at rest measures gravity and little noise`() throws {
        let up = try numbers(.still, "accelerometer", "z")
        #expect(abs(mean(up) - 9.80665) < 0.01)
        #expect((0.01...0.04).contains(deviation(up)))
        #expect(abs(mean(try numbers(.still, "gyroscope", "z"))) < 0.001)
        #expect(Set(try numbers(.still, "location", "speed")) == [0])
        #expect(try numbers(.still, "steps", "steps").last == 0)
    }

    @Test(arguments: [1, 2, 42] as [UInt64])
    func `the steps of a walk match its acceleration`(seed: UInt64) throws {
        let counted = try #require(numbers(.walk, "steps", "steps", seed: seed, step: 20_000).last)
        #expect((105...116).contains(counted))
        // A step is where the acceleration rises through its mean with both harmonics smoothed
        // away.
        let raw = try numbers(.walk, "accelerometer", "z", seed: seed, step: 20_000)
        let width = 13
        let smooth = (0..<(raw.count - width)).map { mean(Array(raw[$0..<($0 + width)])) }
        let middle = mean(smooth)
        let rises = zip(smooth, smooth.dropFirst()).filter { $0 < middle && $1 >= middle }.count
        #expect(abs(Double(rises) - counted) <= 6, "\(rises) rises, \(counted) steps")
    }

    @Test(arguments: [(Scenario.Kind.walk, 1.4), (.ride, 5), (.drive, 13)])
    func `the position moves at the reported speed`(kind: Scenario.Kind, speed: Double) throws {
        let reported = try numbers(kind, "location", "speed", minutes: 10, step: 1_000_000)
        #expect(abs(mean(reported) - speed) < 0.1 * speed)
        let latitudes = try numbers(kind, "location", "latitude", minutes: 10, step: 10_000_000)
        let longitudes = try numbers(kind, "location", "longitude", minutes: 10, step: 10_000_000)
        var way = 0.0
        for (index, next) in zip(latitudes.indices, latitudes.indices.dropFirst()) {
            let north = (latitudes[next] - latitudes[index]) * 111_320
            let east = (longitudes[next] - longitudes[index]) * 111_320 * 0.677
            way += (north * north + east * east).squareRoot()
        }
        // Noise of single positions increases the distance.
        #expect((0.95...1.35).contains(way / (speed * 590)), "\(way) m")
    }

    @Test func `a battery is charged by night and discharged by day`() throws {
        let levels = try numbers(
            .batteryDay, "battery", "level", minutes: 24 * 60, step: Self.minute)
        let scenario = Scenario(.batteryDay, seed: 7)
        func state(_ hours: Int64) throws -> Value {
            let time = scenario.start.advanced(byMicroseconds: hours * 60 * Self.minute)
            return try #require(scenario.sample("battery", at: time)).values[1]
        }
        #expect(try state(4) == .text("discharging"))
        #expect(try state(16) == .text("charging"))
        #expect(try state(21) == .text("full"))
        #expect((90...100).contains(levels[0]))
        #expect(levels.allSatisfy { (15...100).contains($0) })
        #expect((15...25).contains(try #require(levels.min())))
        // Discharged, and not charged until 23:00.
        let day = levels[..<(15 * 60)]
        #expect(zip(day, day.dropFirst()).allSatisfy { $0 >= $1 })
    }

    @Test func `a room is brighter and warmer at noon than at night`() throws {
        let light = try numbers(.room, "light", "illuminance", minutes: 24 * 60, step: Self.minute)
        #expect(mean(Array(light[240..<360])) > 100)
        #expect(mean(Array(light[1080..<1200])) < 5)
        let warmth = try numbers(
            .room, "temperature", "temperature", minutes: 24 * 60, step: Self.minute)
        #expect(warmth.allSatisfy { (17...26).contains($0) })
        #expect(mean(Array(warmth[360..<480])) > mean(Array(warmth[1080..<1200])) + 1)
    }

    @Test func `vibration is stronger than at rest`() throws {
        let shaken = try numbers(.vibration, "accelerometer", "z", step: 10_000)
        #expect((0.9...1.5).contains(deviation(shaken)))
    }

    @Test func `fields of memory and processor are consistent`() throws {
        let scenario = Scenario(.room, seed: 9)
        for second in 0..<200 as Range<Int64> {
            let time = scenario.start.advanced(byMicroseconds: second * 1_000_000)
            let memory = try #require(scenario.sample("memory", at: time)).values.compactMap(
                \.double)
            #expect(memory[0] == memory[1] + memory[7])
            #expect(memory[1] == memory[2] + memory[3] + memory[4])
            #expect(abs(memory[8] - 100 * memory[7] / memory[0]) < 1e-9)
            let cores = try #require(scenario.sample("cpu", at: time)).values.compactMap(\.double)
            #expect(abs(cores[0] - (cores[1] + cores[2]) / 2) < 0.01)
            #expect(cores.allSatisfy { (0...100).contains($0) })
        }
    }

    @Test func `fields and units are those of the real sensors`() throws {
        // With an empty root no hardware is found, but every kind reports its fields.
        let roots = SystemRoots(proc: "/nonexistent", sys: "/nonexistent")
        let real = DriverCatalogue.standard(roots: roots).flatMap { $0.discover() }.map(\.sensor)
        var compared: [SensorID] = []
        for sensor in real {
            guard let fields = SimulatedDriver.fields(of: sensor.id) else { continue }
            compared.append(sensor.id)
            #expect(fields.starts(with: sensor.fields), "\(sensor.id)")
            let cadence = SimulatedDriver(SimulationState(Scenario(.still, seed: 1))).discover()
                .first { $0.sensor.id == sensor.id }?.sensor.cadence
            #expect(cadence == sensor.cadence, "\(sensor.id)")
        }
        #expect(
            compared.sorted() == [
                "accelerometer", "barometer", "battery", "cpu", "gyroscope", "humidity", "light",
                "load", "magnetometer", "memory", "steps", "temperature",
            ])
    }
}
