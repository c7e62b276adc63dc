import Samples

/// The clock frequency of the processor, as the mean over all cores and for each core.
///
/// The kernel counts kHz. Cores that share a clock report the same frequency. Source:
/// `/sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq`, Documentation/admin-guide/pm/cpufreq.rst.
struct CPUFrequencyDriver: SensorDriver {
    private let folder: SystemFolder

    init(roots: SystemRoots) {
        folder = SystemFolder("\(roots.sys)/devices/system/cpu")
    }

    func discover() -> [DiscoveredSensor] {
        let cores = folder.names.compactMap(core)
        let sensor = Sensor(
            id: "cpu-frequency", title: "Processor frequency",
            fields: (["mean"] + cores.map { "core\($0.number)" }).map { Field($0, unit: "MHz") },
            source: folder.path, cadence: .moderate)
        guard !cores.isEmpty else {
            let missing = Availability.unavailable(
                reason: "no core under \(folder.path) has the folder cpufreq",
                remedy: "on a PC, load the driver with modprobe acpi-cpufreq;"
                    + " in a virtual machine, read it on the machine that runs it")
            return [DiscoveredSensor(sensor, missing)]
        }
        return [.probed(sensor, Reader(files: cores.map(\.file)), remedy: nil)]
    }

    /// A core that is on and whose frequency can be read: `cpu7`, not `cpuidle`.
    private func core(_ name: String) -> (number: Int, file: SystemFile)? {
        guard name.hasPrefix("cpu"), let number = Int(name.dropFirst(3)), number >= 0,
            name == "cpu\(number)"
        else { return nil }
        let file = folder.folder(name).folder("cpufreq").file("scaling_cur_freq")
        return file.exists ? (number, file) : nil
    }

    private struct Reader: SampleReader {
        let files: [SystemFile]

        mutating func read() throws(SensorError) -> [Value]? {
            var frequencies: [Double] = []
            for file in files {
                let kilohertz = try file.integer()
                guard kilohertz >= 0 else { throw file.malformed("has a negative frequency") }
                frequencies.append(Double(kilohertz) / 1000)
            }
            let mean = frequencies.reduce(0, +) / Double(frequencies.count)
            return ([mean] + frequencies).map(Value.number)
        }
    }
}
