import Samples

/// Whether each mains or USB supply delivers power: `online` or `offline`.
///
/// Source: `/sys/class/power_supply/*/online`, Documentation/ABI/testing/sysfs-class-power.
struct ExternalPowerDriver: SensorDriver {
    private static let fields = [Field("state", kind: .state)]

    private let roots: SystemRoots

    init(roots: SystemRoots) {
        self.roots = roots
    }

    func discover() -> [DiscoveredSensor] {
        var identifiers = InstanceNames(of: "power")
        let supplies = PowerSupply.all(roots)
            .filter { $0.type == "Mains" || $0.type.hasPrefix("USB") }
            .map { supply in
                let file = supply.folder.file("online")
                let sensor = Sensor(
                    id: identifiers.claim(supply.name),
                    title: "\(supply.type.printable) power \(supply.name.printable)",
                    fields: Self.fields, source: file.path)
                return DiscoveredSensor.probed(sensor, Reader(file: file), remedy: nil)
            }
        guard supplies.isEmpty else { return supplies }
        let folder = PowerSupply.folder(roots)
        let sensor = Sensor(
            id: "power", title: "External power", fields: Self.fields, source: folder.path)
        let missing = Availability.unavailable(
            reason: "no mains or USB supply under \(folder.path)",
            remedy: "on a laptop, load the ACPI driver with modprobe ac")
        return [DiscoveredSensor(sensor, missing)]
    }

    private struct Reader: SampleReader {
        let file: SystemFile

        mutating func read() throws(SensorError) -> [Value]? {
            switch try file.integer() {
            case 0: return [.text("offline")]
            // 2 is a supply whose voltage can be programmed.
            case 1, 2: return [.text("online")]
            default: throw file.malformed("is neither online nor offline")
            }
        }
    }
}
