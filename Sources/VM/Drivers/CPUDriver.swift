import Samples

/// The load of the processor, over all cores and for each core.
///
/// busy = 1 − (idle + iowait) / total between two reads; guest time is part of user time already.
/// Source: `/proc/stat`, proc(5), Documentation/filesystems/proc.rst.
struct CPUDriver: SensorDriver {
    private let file: SystemFile

    init(roots: SystemRoots) {
        file = SystemFile("\(roots.proc)/stat")
    }

    func discover() -> [DiscoveredSensor] {
        do throws(SensorError) {
            let names = try Self.counts(in: file).map(\.field)
            let sensor = sensor(fields: names)
            return [DiscoveredSensor(sensor, .polled(Reader(file: file, fields: names)))]
        } catch {
            let missing = Availability.unavailable(
                reason: error.message, remedy: "mount procfs")
            return [DiscoveredSensor(sensor(fields: ["busy"]), missing)]
        }
    }

    private func sensor(fields: [String]) -> Sensor {
        Sensor(
            id: "cpu", title: "Processor load", fields: fields.map { Field($0, unit: "%") },
            source: file.path)
    }

    /// The ticks of all cores together, then of each.
    private static func counts(in file: SystemFile) throws(SensorError) -> [Ticks] {
        var counts: [Ticks] = []
        for line in try file.lines() {
            // The processors are listed first; the following interrupts can be very long.
            guard line.hasPrefix("cpu") else { break }
            counts.append(try Ticks(TableRow(line, of: file)))
        }
        guard counts.first?.field == "busy",
            Set(counts.map(\.field)).count == counts.count
        else {
            throw file.malformed("does not start with the processor times")
        }
        return counts
    }

    /// The time that one line of `/proc/stat` counts, in clock ticks.
    private struct Ticks: Sendable {
        let field: String
        let busy: Double
        let idle: Double

        init(_ row: TableRow) throws(SensorError) {
            let number = row.words[0].dropFirst("cpu".count)
            field = number.isEmpty ? "busy" : "core\(number)"
            var busy = 0.0
            var idle = 0.0
            // user nice system idle iowait irq softirq steal; the last four are newer than the
            // rest.
            for column in 1...max(4, min(8, row.words.count - 1)) {
                let ticks = Double(try row.counter(column))
                if column == 4 || column == 5 { idle += ticks } else { busy += ticks }
            }
            self.busy = busy
            self.idle = idle
        }
    }

    private struct Reader: SampleReader {
        let file: SystemFile
        let fields: [String]
        private var last: [Ticks]?

        init(file: SystemFile, fields: [String]) {
            self.file = file
            self.fields = fields
        }

        mutating func read() throws(SensorError) -> [Value]? {
            let counts = try CPUDriver.counts(in: file)
            guard counts.map(\.field) == fields else {
                throw SensorError(.gone, "\(file.path) lists other processor cores than before")
            }
            guard let last else {
                last = counts
                return nil
            }
            var values: [Value] = []
            for (now, before) in zip(counts, last) {
                let busy = now.busy - before.busy
                guard busy >= 0 else {
                    self.last = counts
                    return nil
                }
                // proc(5): iowait "may decrease in certain conditions".
                let total = busy + max(0, now.idle - before.idle)
                // Without a tick there is no value yet: the next read covers a longer time.
                guard total > 0 else { return nil }
                values.append(.number(100 * busy / total))
            }
            self.last = counts
            return values
        }
    }
}
