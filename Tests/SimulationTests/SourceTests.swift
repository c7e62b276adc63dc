import Samples
import Simulation
import Testing
import VM

/// Sampling of timed sources.
struct SourceTests {
    private func source(_ driver: some SensorDriver, _ id: SensorID) throws -> any TimedSource {
        let found = try #require(driver.discover().first { $0.sensor.id == id })
        guard case .timed(let source) = found.availability else {
            throw SensorMissing()
        }
        return source
    }

    private struct SensorMissing: Error {}

    private func at(_ microseconds: Int64) -> Timestamp { Timestamp(microseconds: microseconds) }

    @Test func `a simulated sensor is read at whole multiples of its interval`() throws {
        let driver = SimulatedDriver(SimulationState(Scenario(.walk, seed: 1)))
        let source = try source(driver, "accelerometer")
        let every = Duration.milliseconds(100)
        #expect(source.next(after: at(0), every: every) == at(100_000))
        #expect(source.next(after: at(99_999), every: every) == at(100_000))
        #expect(source.next(after: at(-1), every: every) == at(0))
        let batch = source.samples(after: at(-1), through: at(300_000), every: every, limit: 100)
        #expect(batch.times == [at(0), at(100_000), at(200_000), at(300_000)])
        let first = source.samples(after: at(-1), through: at(300_000), every: every, limit: 2)
        #expect(first.times == [at(0), at(100_000)])
        #expect(first[1] == batch[1])
    }

    @Test func `instances stand for the sensor of their kind, and can be set together or alone`()
        throws
    {
        let simulation = SimulationState(
            Scenario(.room, seed: 1),
            instances: ["temperature.cellar", "temperature.attic", "temperature.attic"])
        let driver = SimulatedDriver(simulation)
        let found = driver.discover().map(\.sensor.id)
        #expect(
            found.filter { $0.kind == "temperature" } == [
                "temperature.attic", "temperature.cellar",
            ])
        #expect(found.count == SimulatedDriver.sensors.count + 1)
        #expect(Set(found.map(\.kind)) == Set(SimulatedDriver.sensors))
        let start = Scenario.standardStart
        func values(_ id: SensorID) -> [Value]? { simulation.sample(id, at: start)?.values }
        #expect(values("temperature.attic") == values("temperature.cellar"))
        #expect(values("temperature.attic") == values("temperature"))
        simulation.set(["temperature": .number(5)], of: "temperature")
        simulation.set(["temperature": .number(30)], of: "temperature.attic")
        #expect(values("temperature.cellar") == [.number(5)])
        #expect(values("temperature.attic") == [.number(30)])
        simulation.reset("temperature.attic")
        #expect(values("temperature.attic") == [.number(5)])
        #expect(values("none.of.these") == nil)
    }

    @Test func `explicitly set values apply from then on`() throws {
        let simulation = SimulationState(Scenario(.batteryDay, seed: 1))
        let driver = SimulatedDriver(simulation)
        let source = try source(driver, "battery")
        let start = Scenario.standardStart
        func values() -> [Value] {
            source.samples(
                after: start, through: start.advanced(byMicroseconds: 60_000_000),
                every: .seconds(60), limit: 1)[0].values
        }
        let before = values()
        simulation.set(["level": .number(5), "state": .text("full")], of: "battery")
        #expect(values()[..<2] == [.number(5), .text("full")])
        #expect(values()[2] == before[2])
        simulation.reset("battery")
        #expect(values() == before)
        simulation.play(.walk)
        #expect(values() != before)
    }

    @Test func `a recorded sensor gives each sample once for any sequence of ranges`() throws {
        let times: [Int64] = [5, 10, 10, 10, 11, 40, 41, 41, 90]
        let batch = SampleBatch(
            times: times.map(at), columns: [.integers(Array(0..<Int64(times.count)))])
        let sensor = Sensor(
            id: "probe", title: "Probe", fields: [Field("n", unit: "1", kind: .integer)],
            source: "trace")
        let source = try source(RecordedDriver([(sensor, batch)]), "probe")
        let every = Duration.seconds(1)
        #expect(source.next(after: at(0), every: every) == at(5))
        #expect(source.next(after: at(10), every: every) == at(11))
        #expect(source.next(after: at(90), every: every) == nil)
        for limit in 1...10 {
            for step in 1...100 as ClosedRange<Int64> {
                var seen: [Value] = []
                var start = at(0)
                while start < at(100) {
                    let end = start.advanced(byMicroseconds: step)
                    while true {
                        let part = source.samples(
                            after: start, through: end, every: every, limit: limit)
                        guard let last = part.times.last else { break }
                        seen += (0..<part.count).map { part[$0].values[0] }
                        start = last
                    }
                    start = end
                }
                #expect(seen == (0..<Int64(times.count)).map(Value.integer), "\(limit) \(step)")
            }
        }
    }
}
