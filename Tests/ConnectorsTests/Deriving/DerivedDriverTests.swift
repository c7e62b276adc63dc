import Samples
import TestSupport
import Testing
import VM

@testable import Connectors

/// Derived sensors in a virtual machine with its store.
@Suite(.timeLimit(.minutes(10)))
struct DerivedDriverTests {
    private let machine = DerivedMachine()
    private static let accelerometer: [(SensorID, [Field])] = [
        ("accelerometer", DerivedMachine.acceleration)
    ]

    /// Waits until the sensor is consumed, which begins shortly after its level changes, and sends
    /// the samples.
    private func feed(
        _ samples: [Sample], to id: SensorID = "accelerometer", of driver: TestDriver
    ) async throws {
        guard let first = samples.first else { return }
        try await until { driver.feed([first], to: id) }
        driver.feed(Array(samples.dropFirst()), to: id)
    }

    @Test func `steps of a walk at 1.8 Hz are counted within 3 %, and none at rest`()
        async throws
    {
        var walk = Walk(seed: 20)
        try await machine.run(Self.accelerometer) { machine, driver in
            try await feed(walk.next(seconds: 60, cadence: 0), of: driver)
            let begin = Walk.start + Int64(walk.second * 1e6)
            try await feed(walk.next(seconds: 120, cadence: 1.8), of: driver)
            let end = Walk.start + Int64(walk.second * 1e6)
            try await feed(walk.next(seconds: 60, cadence: 0), of: driver)
            try await feed(walk.next(seconds: 100, cadence: 2), of: driver)
            // Steps that are counted late belong to the previous walk.
            try await until { await machine.total() > 222 + 150 }
            let steps = try await machine.all("steps").map(\.sample)
            #expect(steps.allSatisfy { $0.time.microseconds > begin })
            let first = steps.last { $0.time.microseconds < end + 20_000_000 }
            let counted = Int(try #require(first?.values.first?.double))
            #expect((210...222).contains(counted))
            try await until { await machine.total() >= counted + 194 }
            #expect(await machine.total() <= counted + 206)
            let rest = end + 20_000_000..<end + 60_000_000
            #expect(!steps.contains { rest.contains($0.time.microseconds) })
        }
    }

    @Test func `an activity is reported with its confidence`() async throws {
        var walk = Walk(seed: 22, deviation: 0.05)
        try await machine.run(Self.accelerometer) { machine, driver in
            try await feed(walk.next(seconds: 30, cadence: 0), of: driver)
            try await feed(walk.next(seconds: 30, cadence: 1.8), of: driver)
            let last = Walk.start + 57_000_000
            try await until {
                (await machine.samples.newest(of: "activity")?.time.microseconds ?? 0) >= last
            }
            let reported = try await machine.all("activity").map { ($0.time, $0.values.first) }
            #expect(reported.last?.1 == .text("walking"))
            #expect(
                reported.filter { $0.0.microseconds < Walk.start + 29_000_000 }
                    .allSatisfy { $0.1 == .text("stationary") })
            #expect(reported.count >= 25)
        }
    }

    @Test func `pressure becomes an altitude above the start`() async throws {
        try await machine.run([("barometer", DerivedMachine.pressure)]) { machine, driver in
            let samples = (0...100).map { second in
                Sample(
                    time: Timestamp(microseconds: Walk.start + Int64(second) * 1_000_000),
                    values: [.number(1013.25 - 11.95 * Double(second) / 100)])
            }
            try await feed(samples, to: "barometer", of: driver)
            try await until { try await machine.all("altitude").count == 101 }
            let heights = try await machine.all("altitude").compactMap { $0.values[0].double }
            #expect(heights.first == 0)
            #expect(heights.last.map { abs($0 - 100) < 0.5 } == true)
        }
    }

    @Test func `frequency and strength of a vibration are measured at the rate of the sensor`()
        async throws
    {
        try await machine.run(Self.accelerometer) { machine, driver in
            // 12.5 Hz of 2 m/s2, at 50 a second.
            let samples = (0..<600).map { index in
                let time = Timestamp(microseconds: Walk.start + Int64(index) * 20_000)
                let shake = [0.0, 2, 0, -2][index % 4]
                return Sample(time: time, values: [.number(0), .number(9.81 + shake), .number(0)])
            }
            try await feed(samples, of: driver)
            try await until { await machine.samples.newest(of: "vibration") != nil }
            let values = try #require(await machine.samples.newest(of: "vibration")?.values)
            let numbers = values.compactMap(\.double)
            #expect(numbers.count == 3)
            #expect(abs(numbers[0] - 12.5) < 0.3)
            #expect(abs(numbers[1] - 2.0.squareRoot()) < 0.1)
        }
    }

    @Test func `no steps are derived while the accelerometer or the steps are off`()
        async throws
    {
        var walk = Walk(seed: 1)
        try await machine.run(Self.accelerometer) { machine, driver in
            try await machine.setLevel(.off, of: "accelerometer")
            driver.feed(walk.next(seconds: 60, cadence: 1.8), to: "accelerometer")
            try await machine.setLevel(.medium, of: "accelerometer")
            try await machine.setLevel(.off, of: "steps")
            try await feed(walk.next(seconds: 60, cadence: 1.8), of: driver)
            // The samples were processed for other sensors, but not for steps.
            let end = Walk.start + 118_000_000
            try await until {
                (await machine.samples.newest(of: "activity")?.time.microseconds ?? 0) >= end
                    - 1_000_000
            }
            try await machine.setLevel(.medium, of: "steps")
            let begin = Walk.start + Int64(walk.second * 1e6)
            try await feed(walk.next(seconds: 60, cadence: 0), of: driver)
            try await feed(walk.next(seconds: 60, cadence: 1.8), of: driver)
            try await until { await machine.total() >= 90 }
            #expect(await machine.total() <= 111)
            #expect(try await machine.all("steps").allSatisfy { $0.time.microseconds > begin })
            #expect(
                try await machine.all("activity").allSatisfy {
                    $0.time.microseconds >= Walk.start + 60_000_000
                })
        }
    }

    @Test func `steps continue after a restart, and none counts twice`() async throws {
        var walk = Walk(seed: 2)
        let samples =
            walk.next(seconds: 60, cadence: 1.8) + walk.next(seconds: 20, cadence: 0)
        var counter = StepTotal()
        let last = samples.compactMap { counter.take($0) }.last?.values.first?.double
        let before = Int(try #require(last))
        #expect((104...112).contains(before))
        try await machine.run(Self.accelerometer) { machine, driver in
            try await feed(samples, of: driver)
            try await until { await machine.total() == before }
        }
        try await machine.run(Self.accelerometer) { machine, driver in
            #expect(await machine.total() == before)
            try await feed(walk.next(seconds: 60, cadence: 1.8), of: driver)
            try await feed(walk.next(seconds: 20, cadence: 0), of: driver)
            try await until { await machine.total() >= before + 104 }
            #expect(await machine.total() <= before + 112)
        }
    }

    // MARK: - Discovery

    private func found(_ sensors: [(SensorID, [Field])]) -> [SensorID: DiscoveredSensor] {
        let all = TestDriver(sensors.map { (id: $0, fields: $1) }).discover()
        let derived = DerivedDriver().discover(among: all)
        return Dictionary(derived.map { ($0.sensor.id, $0) }) { first, _ in first }
    }

    @Test func `a derived sensor without its input names it, and the others are available`() {
        let found = found([("barometer", DerivedMachine.pressure)])
        #expect(found.keys.sorted() == ["activity", "altitude", "steps", "vibration"])
        for (id, item) in found where id != "altitude" {
            guard case .unavailable(let reason, _) = item.availability else {
                Issue.record("\(id) is available")
                continue
            }
            #expect(reason == "it needs accelerometer")
        }
        #expect(found["altitude"]?.isUnavailable == false)
    }

    @Test func `each input instance has its own derived sensors`() {
        let found = found([
            ("accelerometer.left", DerivedMachine.acceleration),
            ("accelerometer.right", DerivedMachine.acceleration.reversed()),
            ("accelerometer.g", ["x", "y", "z"].map { Field($0, unit: "[g]") }),
            ("microphone", [Field("sound", unit: "1")]),
        ])
        #expect(found["steps.left"]?.isUnavailable == false)
        #expect(found["steps.right"]?.isUnavailable == false)
        #expect(found["steps.right"]?.sensor.source == "computed from accelerometer.right")
        #expect(found["steps.g"]?.isUnavailable == true)
        #expect(found["noise"]?.isUnavailable == false)
        #expect(found["steps"] == nil)
    }

    @Test func `steps that hardware counts are not counted again`() async throws {
        let steps = [Field("steps", unit: "{step}", kind: .integer)]
        try await machine.run(Self.accelerometer + [("steps", steps)]) { machine, _ in
            #expect(await machine.status(of: "steps")?.sensor.source == "a test")
            #expect(
                await machine.status(of: "activity")?.sensor.source
                    == "computed from accelerometer")
        }
    }

    @Test func `axes are matched by name`() async throws {
        var walk = Walk(seed: 3)
        let fields: [(SensorID, [Field])] = [
            ("accelerometer", [Field("battery", unit: "%")] + DerivedMachine.acceleration)
        ]
        try await machine.run(fields) { machine, driver in
            let samples = walk.next(seconds: 60, cadence: 1.8).map {
                Sample(time: $0.time, values: [.number(50)] + $0.values)
            }
            try await feed(samples, of: driver)
            try await until { await machine.total() >= 90 }
            #expect(await machine.total() <= 112)
        }
    }
}
