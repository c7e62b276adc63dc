import Samples

/// What each battery still holds when it is full, compared with what it held when it was new.
///
/// Source: `energy_full` and `energy_full_design`, or `charge_*`, of `/sys/class/power_supply`,
/// Documentation/ABI/testing/sysfs-class-power, in millionths of a watt hour or ampere hour.
struct BatteryHealthDriver: SensorDriver {
    private let roots: SystemRoots

    init(roots: SystemRoots) {
        self.roots = roots
    }

    func discover() -> [DiscoveredSensor] {
        var identifiers = InstanceNames(of: "battery-health")
        let sensors = PowerSupply.all(roots)
            .filter { $0.type == "Battery" && $0.isPresent }
            .compactMap { battery -> DiscoveredSensor? in
                guard let capacity = Capacity(of: battery.folder) else { return nil }
                let model = (battery.folder.line("model_name") ?? battery.name).printable
                let sensor = Sensor(
                    id: identifiers.claim(battery.name), title: "Health of battery \(model)",
                    fields: Self.fields(capacity.unit), source: battery.folder.path, cadence: .slow)
                return .probed(
                    sensor, Reader(capacity: capacity),
                    remedy: "let the battery be charged and discharged once; some never report it")
            }
        guard sensors.isEmpty else { return sensors }
        let folder = PowerSupply.folder(roots)
        let sensor = Sensor(
            id: "battery-health", title: "Health of the battery", fields: Self.fields("W.h"),
            source: folder.path, cadence: .slow)
        let missing = Availability.unavailable(
            reason: "no battery under \(folder.path) reports its capacity when it was new",
            remedy: nil)
        return [DiscoveredSensor(sensor, missing)]
    }

    private static func fields(_ unit: String) -> [Field] {
        [Field("health", unit: "%"), Field("full", unit: unit), Field("design", unit: unit)]
    }

    private struct Capacity: Sendable {
        let full: SystemFile
        let design: SystemFile
        let unit: String

        init?(of folder: SystemFolder) {
            let units = [("energy", "W.h"), ("charge", "A.h")]
            let found = units.first { quantity, _ in
                ["full", "full_design"].allSatisfy { folder.file("\(quantity)_\($0)").exists }
            }
            guard let (quantity, unit) = found else { return nil }
            full = folder.file("\(quantity)_full")
            design = folder.file("\(quantity)_full_design")
            self.unit = unit
        }
    }

    private struct Reader: SampleReader {
        let capacity: Capacity

        mutating func read() throws(SensorError) -> [Value]? {
            let full = try capacity.full.number() / 1e6
            let design = try capacity.design.number() / 1e6
            guard full >= 0, design > 0, (full / design).isFinite else {
                throw capacity.design.malformed("has no valid capacity")
            }
            // A new battery often holds a little more than its design.
            return [.number(100 * full / design), .number(full), .number(design)]
        }
    }
}
