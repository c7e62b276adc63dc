import Samples

/// The traffic of each whole block device.
///
/// A sector is 512 bytes on every device; busy is the share of time with a request in progress.
/// Source: `/sys/block/<device>/stat`, Documentation/block/stat.rst, which counts the same as
/// `/proc/diskstats` (Documentation/admin-guide/iostats.rst) and lists no partitions.
struct DiskDriver: SensorDriver {
    private static let fields = [
        Field("readRate", unit: "By/s"),
        Field("writeRate", unit: "By/s"),
        Field("readOperations", unit: "/s"),
        Field("writeOperations", unit: "/s"),
        Field("busy", unit: "%"),
        Field("readBytes", unit: "By", kind: .integer),
        Field("writtenBytes", unit: "By", kind: .integer),
    ]

    private let folder: SystemFolder
    private let awake: AwakeTime

    init(roots: SystemRoots, awake: @escaping AwakeTime = systemAwakeTime) {
        folder = SystemFolder("\(roots.sys)/block")
        self.awake = awake
    }

    func discover() -> [DiscoveredSensor] {
        var identifiers = InstanceNames(of: "disk")
        let disks = folder.names.filter(isDisk).map { name in
            let file = folder.folder(name).file("stat")
            // sysfs writes the slash of names such as cciss/c0d0 as an exclamation mark.
            let title = "Disk \(name.printable)"
            return DiscoveredSensor(
                Sensor(
                    id: identifiers.claim(name), title: title, fields: Self.fields,
                    source: file.path),
                .polled(Reader(file: file, awake: awake)))
        }
        guard disks.isEmpty else { return disks }
        let sensor = Sensor(id: "disk", title: "Disk", fields: Self.fields, source: folder.path)
        return [
            DiscoveredSensor(
                sensor, .unavailable(reason: "no disk under \(folder.path)", remedy: nil))
        ]
    }

    private func isDisk(_ name: String) -> Bool {
        guard !["loop", "ram", "zram"].contains(where: name.hasPrefix) else { return false }
        let device = folder.folder(name)
        guard let line = device.line("stat") else { return false }
        // Card readers and floppy drives without a medium are left out.
        let idle = TableRow(line[...], of: device.file("stat")).words.allSatisfy { $0 == "0" }
        return !(idle && (device.line("size") ?? "0") == "0")
    }

    private struct Reader: SampleReader {
        private static let sector: Int64 = 512

        let file: SystemFile
        let awake: AwakeTime
        private var growth = CounterGrowth()

        init(file: SystemFile, awake: @escaping AwakeTime) {
            self.file = file
            self.awake = awake
        }

        mutating func read() throws(SensorError) -> [Value]? {
            let row = TableRow(try file.line()[...], of: file)
            let read = try bytes(row.counter(2))
            let written = try bytes(row.counter(6))
            let reads = try row.counter(0)
            let writes = try row.counter(4)
            let busyMilliseconds = try row.counter(9)
            let counters = [read, written, reads, writes, busyMilliseconds]
            guard let rates = growth.perSecond(counters, at: awake()) else { return nil }
            // Busy time is counted in whole ticks and can run a little ahead of the clock.
            let busy = min(100, rates[4] / 10)
            return rates[..<4].map(Value.number)
                + [.number(busy), .integer(read), .integer(written)]
        }

        private func bytes(_ sectors: Int64) throws(SensorError) -> Int64 {
            let (bytes, overflow) = sectors.multipliedReportingOverflow(by: Self.sector)
            guard !overflow else {
                throw file.malformed("counts more bytes than 64 bits can represent")
            }
            return bytes
        }
    }
}
