import Samples

/// The number of processes, those that run or wait for a device, and how fast new ones start.
///
/// Running and blocked are counts of threads, as is `load.total`; started are processes and threads.
/// Names and owners of processes are not read. Source: the folders of `/proc` that are numbers, and
/// the lines `procs_running`, `procs_blocked` and `processes` of `/proc/stat`, proc(5).
struct ProcessDriver: SensorDriver {
    private static let fields =
        [
            ("total", "{process}"), ("running", "{thread}"), ("blocked", "{thread}"),
        ].map { Field($0.0, unit: $0.1, kind: .integer) } + [Field("started", unit: "/s")]

    private let roots: SystemRoots
    private let awake: AwakeTime

    init(roots: SystemRoots, awake: @escaping AwakeTime = systemAwakeTime) {
        self.roots = roots
        self.awake = awake
    }

    func discover() -> [DiscoveredSensor] {
        let sensor = Sensor(
            id: "processes", title: "Processes", fields: Self.fields, source: roots.proc,
            cadence: .moderate)
        let reader = Reader(
            folder: SystemFolder(roots.proc), file: SystemFile("\(roots.proc)/stat"), awake: awake)
        return [.probed(sensor, reader, remedy: "mount procfs")]
    }

    private struct Reader: SampleReader {
        let folder: SystemFolder
        let file: SystemFile
        let awake: AwakeTime
        private var growth = CounterGrowth()

        init(folder: SystemFolder, file: SystemFile, awake: @escaping AwakeTime) {
            (self.folder, self.file, self.awake) = (folder, file, awake)
        }

        mutating func read() throws(SensorError) -> [Value]? {
            let counts = try KernelCounters(
                file, ["procs_running", "procs_blocked", "processes"]
            ).values
            guard let rates = growth.perSecond([counts[2]], at: awake()) else { return nil }
            let total = folder.names.count { name in
                name.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
            return [
                .integer(Int64(total)), .integer(counts[0]), .integer(counts[1]),
                .number(rates[0]),
            ]
        }
    }
}
