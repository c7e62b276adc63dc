import Samples

/// The load averages and the number of processes.
///
/// Source: `/proc/loadavg`, proc(5).
struct LoadDriver: SensorDriver {
    private let file: SystemFile

    init(roots: SystemRoots) {
        file = SystemFile("\(roots.proc)/loadavg")
    }

    func discover() -> [DiscoveredSensor] {
        let sensor = Sensor(
            id: "load", title: "System load",
            fields: [
                Field("load1", unit: "1"),
                Field("load5", unit: "1"),
                Field("load15", unit: "1"),
                Field("runnable", unit: "{process}", kind: .integer),
                Field("total", unit: "{process}", kind: .integer),
            ], source: file.path)
        return [.probed(sensor, Reader(file: file), remedy: "mount procfs")]
    }

    private struct Reader: SampleReader {
        let file: SystemFile

        mutating func read() throws(SensorError) -> [Value]? {
            let row = TableRow(try file.text()[...], of: file)
            var values: [Value] = []
            for column in 0..<3 { values.append(.number(try row.number(column))) }
            let counts = row.words.count > 3 ? row.words[3].split(separator: "/") : []
            guard counts.count == 2, let runnable = Int64(counts[0]), let total = Int64(counts[1]),
                runnable >= 0, total >= 0
            else { throw file.malformed("lacks the number of processes") }
            return values + [.integer(runnable), .integer(total)]
        }
    }
}
