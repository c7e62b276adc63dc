import Logging
import SampleStore
public import Samples

extension VirtualMachine {
    /// Between two looks for hardware that came or went.
    static let discoveryInterval = Duration.seconds(30)

    /// The time after a look that a driver asked for, so that none can ask for one after the other.
    static let discoveryPause = Duration.seconds(1)

    nonisolated func keepDiscovering() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while (try? await self.time.sleep(Self.discoveryInterval)) != nil {
                    await self.look()
                }
            }
            for changes in drivers.compactMap({ $0.changes() }) {
                group.addTask {
                    for await _ in changes {
                        await self.look()
                        try? await self.time.sleep(Self.discoveryPause)
                    }
                }
            }
        }
    }

    /// Looks for sensors at once, after a driver has learned of one.
    ///
    /// - Throws: `storeFailed` when what is new cannot be registered.
    public func lookForSensors() async throws(VirtualMachineError) {
        if let error = await lookInTurn() { throw Self.wrap(error) }
    }

    /// Lists a sensor no longer that nothing gives any more; its samples stay, and are seen when it is back.
    public func dismiss(_ id: SensorID) async {
        guard sensors[id]?.isUnavailable == true else { return }
        suspend(id)
        sensors[id] = nil
        await store.admit(false, id)
    }

    private func look() async {
        if let error = await lookInTurn() { report(error) }
    }

    /// Looks for hardware when the look before is over: what an older one found must not be adopted after
    /// what a newer one did.
    private func lookInTurn() async -> SampleStoreError? {
        let before = lastLook
        let look = Task { () -> SampleStoreError? in
            await before?.value
            do throws(SampleStoreError) {
                try await discover()
                return nil
            } catch {
                return error
            }
        }
        lastLook = Task { _ = await look.value }
        return await look.value
    }

    /// Looks for hardware; what is new is registered, what is gone becomes unavailable.
    func discover() async throws(SampleStoreError) {
        // Hardware comes before what was declared under its name.
        let (drivers, derivers) = (drivers + [declared], derivers)
        let found = await Task(executorPreference: executor) {
            let own = drivers.flatMap { $0.discover() }
            return Self.ranked(own, derivers.flatMap { $0.discover(among: own) })
        }.value
        var seen: Set<SensorID> = []
        for item in found where isCurrent(item) && seen.insert(item.sensor.id).inserted {
            let id = item.sensor.id
            if case .unavailable = item.availability {
            } else {
                if let known = sensors[id], known.sensor.fields != item.sensor.fields {
                    // A sample read with the former fields must not be taken for one with the new.
                    suspend(id)
                }
                try await store.register(id, fields: item.sensor.fields)
                await store.admit(level(of: id) != .off, id)
            }
            adopt(item)
        }
        for id in sensors.keys where !seen.contains(id) {
            guard let known = sensors[id], !known.isUnavailable else { continue }
            var reason = "it was removed"
            if case .derived(let input, _) = known.availability { reason = "it needs \(input)" }
            sensors[id]?.availability = .unavailable(reason: reason, remedy: nil)
            restart(id)
        }
    }

    /// Whether it was not declared otherwise or withdrawn while the drivers looked.
    private func isCurrent(_ item: DiscoveredSensor) -> Bool {
        guard case .published = item.availability else { return true }
        return declared.sensors[item.sensor.id] == item.sensor
    }

    private func adopt(_ item: DiscoveredSensor) {
        let id = item.sensor.id
        let known = sensors[id]
        if let known, known.sensor == item.sensor, !known.isUnavailable {
            switch (item.availability, known.availability) {
            case (.unavailable, _): break
            case (.pushed(let found), .pushed(let source)) where found !== source: break
            default: return
            }
        }
        sensors[id, default: CollectedSensor(sensor: item.sensor, availability: item.availability)]
            .sensor = item.sensor
        sensors[id]?.availability = item.availability
        restart(id)
    }
}
