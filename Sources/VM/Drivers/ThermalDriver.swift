import Samples

/// The temperature of each thermal zone.
///
/// The kernel counts thousandths of a degree. Source: `/sys/class/thermal/thermal_zone*`,
/// Documentation/driver-api/thermal/sysfs-api.rst.
struct ThermalDriver: SensorDriver {
    private static let fields = [Field("temperature", unit: "Cel")]

    private let folder: SystemFolder

    init(roots: SystemRoots) {
        folder = SystemFolder("\(roots.sys)/class/thermal")
    }

    func discover() -> [DiscoveredSensor] {
        var identifiers = InstanceNames(of: "thermal")
        let zones = folder.names.filter { $0.hasPrefix("thermal_zone") }.map { name in
            let zone = folder.folder(name)
            let type = zone.line("type") ?? name
            let file = zone.file("temp")
            let sensor = Sensor(
                id: identifiers.claim(type), title: "Temperature of \(type.printable)",
                fields: Self.fields, source: file.path)
            return DiscoveredSensor(sensor, .polled(Reader(file: file)))
        }
        guard zones.isEmpty else { return zones }
        let sensor = Sensor(
            id: "thermal", title: "Thermal zones", fields: Self.fields, source: folder.path)
        let missing = Availability.unavailable(
            reason: "no thermal zone under \(folder.path)",
            remedy: "on a PC with an Intel processor, try modprobe x86_pkg_temp_thermal")
        return [DiscoveredSensor(sensor, missing)]
    }

    private struct Reader: SampleReader {
        let file: SystemFile

        mutating func read() throws(SensorError) -> [Value]? {
            [try file.temperature(celsius: file.number() / 1000)]
        }
    }
}
