import Samples

/// The power that the processor takes, as the whole chip and by its parts.
///
/// Computed from counters of energy (RAPL, Intel 64 and IA-32 Architectures Software Developer's
/// Manual, volume 3B, 16.10), which AMD processors have too. Since Linux 5.10 only root may read them,
/// because they reveal what programs compute (CVE-2020-8694). Source:
/// `/sys/class/powercap/intel-rapl:*`, Documentation/power/powercap/powercap.rst.
struct ProcessorPowerDriver: SensorDriver {
    private let folder: SystemFolder
    private let awake: AwakeTime

    init(roots: SystemRoots, awake: @escaping AwakeTime = systemAwakeTime) {
        folder = SystemFolder("\(roots.sys)/class/powercap")
        self.awake = awake
    }

    func discover() -> [DiscoveredSensor] {
        let zones = folder.names.filter { $0.hasPrefix("intel-rapl:") && isZone($0) }
        var names = FieldNames()
        let fields = zones.map { zone in
            Field(names.claim(label: label(of: zone), fallback: "zone"), unit: "W")
        }
        let sensor = Sensor(
            id: "cpu-power", title: "Processor power",
            fields: fields.isEmpty ? [Field("package0", unit: "W")] : fields, source: folder.path,
            cadence: .moderate)
        guard !zones.isEmpty else {
            let missing = Availability.unavailable(
                reason: "no energy counter under \(folder.path)",
                remedy: "load its driver with modprobe intel_rapl_msr; virtual machines have none")
            return [DiscoveredSensor(sensor, missing)]
        }
        return [
            .probed(
                sensor, Reader(zones: zones.map(folder.folder), awake: awake),
                remedy: "as root, chmod a+r \(folder.path)/intel-rapl:*/energy_uj after each start;"
                    + " then every program can measure what others compute")
        ]
    }

    private func isZone(_ name: String) -> Bool { folder.folder(name).file("energy_uj").exists }

    /// `package-0`, or with the name of its package `package-0 core`.
    private func label(of zone: String) -> String? {
        let parts = zone.split(separator: ":")
        let name = folder.folder(zone).line("name")
        guard parts.count > 2, let name else { return name }
        return (folder.line("\(parts[0]):\(parts[1])/name") ?? "") + " " + name
    }

    private struct Reader: SampleReader {
        let zones: [SystemFolder]
        let awake: AwakeTime
        private var last: (time: Duration, energies: [Int64])?

        init(zones: [SystemFolder], awake: @escaping AwakeTime) {
            (self.zones, self.awake) = (zones, awake)
        }

        mutating func read() throws(SensorError) -> [Value]? {
            var energies: [Int64] = []
            for zone in zones {
                let file = zone.file("energy_uj")
                let energy = try file.integer()
                guard energy >= 0 else { throw file.malformed("has a negative energy") }
                energies.append(energy)
            }
            let time = awake()
            guard let last else {
                last = (time, energies)
                return nil
            }
            let elapsed = (time - last.time) / .seconds(1)
            guard elapsed > 0 else { return nil }
            self.last = (time, energies)
            var values: [Value] = []
            for (index, energy) in energies.enumerated() {
                var growth = Double(energy) - Double(last.energies[index])
                if growth < 0 {
                    // The counter wraps after some minutes to hours; it counts up to this range.
                    growth += Double(try zones[index].file("max_energy_range_uj").integer())
                }
                guard growth >= 0 else { return nil }
                values.append(.number(growth / 1e6 / elapsed))
            }
            return values
        }
    }
}
