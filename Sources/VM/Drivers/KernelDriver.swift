import Samples

/// How often the kernel switches between tasks and is interrupted.
///
/// Source: the lines `ctxt`, `intr` and `softirq` of `/proc/stat`, proc(5).
struct KernelDriver: SensorDriver {
    private static let fields = ["contextSwitches", "interrupts", "softInterrupts"]

    private let file: SystemFile
    private let awake: AwakeTime

    init(roots: SystemRoots, awake: @escaping AwakeTime = systemAwakeTime) {
        file = SystemFile("\(roots.proc)/stat")
        self.awake = awake
    }

    func discover() -> [DiscoveredSensor] {
        let sensor = Sensor(
            id: "kernel", title: "Context switches and interrupts",
            fields: Self.fields.map { Field($0, unit: "/s") }, source: file.path,
            cadence: .moderate)
        return [.probed(sensor, Reader(file: file, awake: awake), remedy: "mount procfs")]
    }

    private struct Reader: SampleReader {
        let file: SystemFile
        let awake: AwakeTime
        private var growth = CounterGrowth()

        init(file: SystemFile, awake: @escaping AwakeTime) {
            self.file = file
            self.awake = awake
        }

        mutating func read() throws(SensorError) -> [Value]? {
            let counters = try KernelCounters(file, ["ctxt", "intr", "softirq"])
            return growth.perSecond(counters.values, at: awake())?.map(Value.number)
        }
    }
}

/// The first number of some named lines of `/proc/stat`.
struct KernelCounters {
    let values: [Int64]

    /// Reads the lines `names`, whose numbers are in this order.
    init(_ file: SystemFile, _ names: [String]) throws(SensorError) {
        var found: [Substring: Int64] = [:]
        for line in try file.lines() {
            // Only the first words are needed: there are thousands of interrupts on some machines.
            let row = TableRow(line.prefix(64), of: file)
            guard let name = row.words.first, names.contains(String(name)) else { continue }
            found[name] = try row.counter(1)
        }
        var values: [Int64] = []
        for name in names {
            guard let value = found[Substring(name)] else {
                throw file.malformed("lacks the line \(name)")
            }
            values.append(value)
        }
        self.values = values
    }
}
