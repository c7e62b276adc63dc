import Samples

/// Main memory and swap.
///
/// used = total − available. Source: `/proc/meminfo`, proc(5).
struct MemoryDriver: SensorDriver {
    /// Each field that the kernel counts, with its name in `/proc/meminfo`.
    private static let counted = [
        ("total", "MemTotal"), ("available", "MemAvailable"), ("free", "MemFree"),
        ("buffers", "Buffers"), ("cached", "Cached"),
        ("swapTotal", "SwapTotal"), ("swapFree", "SwapFree"),
    ]

    private let file: SystemFile

    init(roots: SystemRoots) {
        file = SystemFile("\(roots.proc)/meminfo")
    }

    func discover() -> [DiscoveredSensor] {
        let counted = Self.counted.map { Field($0.0, unit: "By", kind: .integer) }
        let computed = [
            Field("used", unit: "By", kind: .integer), Field("usedPercent", unit: "%"),
        ]
        let sensor = Sensor(
            id: "memory", title: "Memory", fields: counted + computed, source: file.path)
        return [.probed(sensor, Reader(file: file), remedy: "mount procfs")]
    }

    private struct Reader: SampleReader {
        let file: SystemFile

        mutating func read() throws(SensorError) -> [Value]? {
            var sizes: [Substring: Int64] = [:]
            for line in try file.lines() {
                let row = TableRow(line, of: file)
                guard let name = row.words.first?.dropLast(),
                    MemoryDriver.counted.contains(where: { $0.1 == name })
                else { continue }
                let (bytes, overflow) = try row.counter(1).multipliedReportingOverflow(by: 1024)
                guard !overflow else { throw file.malformed("has a size beyond 64 bits") }
                sizes[name] = bytes
            }
            var values: [Value] = []
            for (_, name) in MemoryDriver.counted {
                guard let size = sizes[Substring(name)] else {
                    throw file.malformed("lacks \(name)")
                }
                values.append(.integer(size))
            }
            guard let total = sizes["MemTotal"], let available = sizes["MemAvailable"], total > 0
            else { throw file.malformed("reports no memory") }
            let used = max(0, total - available)
            return values + [.integer(used), .number(100 * Double(used) / Double(total))]
        }
    }
}
