import Samples

/// What the processor spends its time on, over all cores.
///
/// Shares of the time between two reads; the first eight add up to 100 %. Guest time is part of user
/// and nice time. Source: the first line of `/proc/stat`, proc(5),
/// Documentation/filesystems/proc.rst.
struct CPUModesDriver: SensorDriver {
    /// The columns of the line, in its order.
    private static let modes = [
        "user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guestNice",
    ]
    /// How many columns there have always been, and how many are not contained in others.
    private static let required = 4
    private static let disjoint = 8
    /// The columns of disjoint modes other than idle and iowait.
    private static let work = [0, 1, 2, 5, 6, 7]

    private let file: SystemFile

    init(roots: SystemRoots) {
        file = SystemFile("\(roots.proc)/stat")
    }

    func discover() -> [DiscoveredSensor] {
        let sensor = Sensor(
            id: "cpu-modes", title: "Processor time by mode",
            fields: Self.modes.map { Field($0, unit: "%") }, source: file.path, cadence: .moderate)
        return [.probed(sensor, Reader(file: file), remedy: "mount procfs")]
    }

    private struct Reader: SampleReader {
        let file: SystemFile
        private var last: [Double]?

        init(file: SystemFile) {
            self.file = file
        }

        mutating func read() throws(SensorError) -> [Value]? {
            let ticks = try ticks()
            guard let last else {
                last = ticks
                return nil
            }
            // Like `cpu`: counters of work only decrease when they were restarted, but idle and
            // iowait "may decrease in certain conditions" (proc(5)).
            guard !CPUModesDriver.work.contains(where: { ticks[$0] < last[$0] }) else {
                self.last = ticks
                return nil
            }
            let growth = zip(ticks, last).map { max(0, $0 - $1) }
            let total = growth[..<CPUModesDriver.disjoint].reduce(0, +)
            // Without a tick there is no value yet: the next read covers a longer time.
            guard total > 0 else { return nil }
            self.last = ticks
            return growth.map { .number(min(100, 100 * $0 / total)) }
        }

        /// The ticks of each mode; those that an old kernel does not count are zero.
        private func ticks() throws(SensorError) -> [Double] {
            guard let line = try file.lines().first, line.hasPrefix("cpu ") else {
                throw file.malformed("does not start with the processor times")
            }
            let row = TableRow(line, of: file)
            let count = max(
                CPUModesDriver.required, min(CPUModesDriver.modes.count, row.words.count - 1))
            var ticks = [Double](repeating: 0, count: CPUModesDriver.modes.count)
            for column in 1...count { ticks[column - 1] = Double(try row.counter(column)) }
            return ticks
        }
    }
}
