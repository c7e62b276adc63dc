import Samples

/// The time since the machine was started, with the time in which it was suspended.
///
/// Source: `/proc/uptime`, proc(5).
struct UptimeDriver: SensorDriver {
    private let file: SystemFile

    init(roots: SystemRoots) {
        file = SystemFile("\(roots.proc)/uptime")
    }

    func discover() -> [DiscoveredSensor] {
        let sensor = Sensor(
            id: "uptime", title: "Time since the start", fields: [Field("up", unit: "s")],
            source: file.path, cadence: .slow)
        return [.probed(sensor, Reader(file: file), remedy: "mount procfs")]
    }

    private struct Reader: SampleReader {
        let file: SystemFile

        mutating func read() throws(SensorError) -> [Value]? {
            let row = TableRow(try file.text()[...], of: file)
            return [.number(try row.number(0))]
        }
    }
}
