import Dispatch
import Samples
import Synchronization
import Testing

@testable import VM

/// Declared sensors with the name of a sensor of the machine.
@Suite(.timeLimit(.minutes(10)))
struct NameConflictTests {
    /// A driver whose hardware is missing until the test adds it.
    private final class LateDriver: SensorDriver {
        let isThere = Mutex(false)
        private let sensor = FakeSensor("gauge")

        func discover() -> [DiscoveredSensor] {
            if isThere.withLock({ $0 }) { return sensor.discover() }
            return [DiscoveredSensor(sensor.sensor, .unavailable(reason: "none", remedy: nil))]
        }
    }

    /// A driver whose next search waits for the test.
    private final class SlowDriver: SensorDriver {
        let isSlow = Mutex(false)
        let begun: AsyncStream<Void>
        let goOn = DispatchSemaphore(value: 0)
        private let begin: AsyncStream<Void>.Continuation

        init() {
            (begun, begin) = AsyncStream.makeStream()
        }

        func discover() -> [DiscoveredSensor] {
            let waits = isSlow.withLock { isSlow in
                defer { isSlow = false }
                return isSlow
            }
            guard waits else { return [] }
            begin.yield()
            goOn.wait()
            return []
        }
    }

    private func declared(_ id: SensorID) throws -> Sensor {
        try Sensor(declared: id, title: "Declared", fields: [Field("x", unit: "m")])
    }

    @Test func `missing hardware does not replace a declared sensor, and present hardware does`()
        async throws
    {
        let machine = try TestMachine()
        let driver = LateDriver()
        try await machine.using { started in
            _ = try await started.declare(declared("gauge"))
        }
        // As after an update that adds a driver for this hardware.
        try await machine.using(driver) { started in
            #expect(await started.status(of: "gauge")?.state == .available)
            #expect(await started.status(of: "gauge")?.sensor.title == "Declared")
            driver.isThere.withLock { $0 = true }
            try await started.lookForSensors()
            #expect(await started.status(of: "gauge")?.sensor.source == "a test")
            driver.isThere.withLock { $0 = false }
            try await started.lookForSensors()
            #expect(await started.status(of: "gauge")?.sensor.title == "Declared")
            try await started.withdraw("gauge")
            try await started.lookForSensors()
            #expect(
                await started.status(of: "gauge")?.state
                    == .unavailable(reason: "none", remedy: nil))
        }
    }

    @Test func `a sensor that is declared during a search is available after it`() async throws {
        let machine = try TestMachine()
        let driver = SlowDriver()
        try await machine.using(driver) { started in
            driver.isSlow.withLock { $0 = true }
            async let search: Void = started.lookForSensors()
            for await _ in driver.begun { break }
            _ = try await started.declare(declared("gauge"))
            driver.goOn.signal()
            try await search
            #expect(await started.status(of: "gauge")?.state == .available)
        }
    }

    @Test func `a name refers to the readable sensor of that name, else to those of that kind`()
        async throws
    {
        let machine = try TestMachine()
        let driver = LateDriver()
        try await machine.using(driver) { started in
            #expect(await started.readable(named: "gauge") == [])
            _ = try await started.declare(declared("gauge.left"))
            #expect(await started.readable(named: "gauge") == ["gauge.left"])
            _ = try await started.declare(declared("gauge.right"))
            #expect(await started.readable(named: "gauge") == ["gauge.left", "gauge.right"])
            #expect(await started.readable(named: "gauge.left") == ["gauge.left"])
            #expect(await started.readable(named: "gaug") == [])
            driver.isThere.withLock { $0 = true }
            try await started.lookForSensors()
            #expect(await started.readable(named: "gauge") == ["gauge"])
        }
    }

    @Test(arguments: [true, false])
    func `a sensor of the machine cannot be declared, present or missing`(isThere: Bool)
        async throws
    {
        let machine = try TestMachine()
        let driver = LateDriver()
        driver.isThere.withLock { $0 = isThere }
        try await machine.using(driver) { started in
            let error = await #expect(throws: VirtualMachineError.self) {
                try await started.declare(declared("gauge"))
            }
            #expect(error?.code == .sensorTaken)
        }
    }
}
