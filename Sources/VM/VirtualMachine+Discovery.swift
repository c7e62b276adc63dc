import Logging
import SampleStore
import Samples

extension VirtualMachine {
    /// Between two looks for hardware that came or went.
    static let discoveryInterval = Duration.seconds(30)

    nonisolated func keepDiscovering() async {
        while (try? await time.sleep(Self.discoveryInterval)) != nil {
            do {
                try await discover()
            } catch {
                await report(error)
            }
        }
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
            if case .unavailable = item.availability {
            } else {
                return
            }
        }
        sensors[id, default: CollectedSensor(sensor: item.sensor, availability: item.availability)]
            .sensor = item.sensor
        sensors[id]?.availability = item.availability
        restart(id)
    }
}
