import Samples

/// The traffic of each network interface.
///
/// The loopback interface is excluded unless it is the only one, because traffic between programs of
/// one machine is not network traffic. Source: `/proc/net/dev`, proc(5),
/// Documentation/networking/statistics.rst.
struct NetworkDriver: SensorDriver {
    /// Each counter with its column; the first four also have a rate.
    private static let counters = [
        ("rxBytes", 0), ("txBytes", 8), ("rxPackets", 1), ("txPackets", 9), ("rxErrors", 2),
        ("txErrors", 10), ("rxDropped", 3), ("txDropped", 11),
    ]
    private static let fields =
        [
            Field("rxRate", unit: "By/s"), Field("txRate", unit: "By/s"),
            Field("rxPacketRate", unit: "/s"), Field("txPacketRate", unit: "/s"),
        ]
        + counters.map { name, _ in
            Field(name, unit: name.hasSuffix("Bytes") ? "By" : "{packet}", kind: .integer)
        }

    private let file: SystemFile
    private let awake: AwakeTime

    init(roots: SystemRoots, awake: @escaping AwakeTime = systemAwakeTime) {
        file = SystemFile("\(roots.proc)/net/dev")
        self.awake = awake
    }

    func discover() -> [DiscoveredSensor] {
        do throws(SensorError) {
            let all = try file.interfaces().map(\.name)
            let outside = all.filter { $0 != "lo" }
            let names = outside.isEmpty ? all : outside
            guard !names.isEmpty else { return [missing("no interface in \(file.path)", nil)] }
            var identifiers = InstanceNames(of: "network")
            return names.map { name in
                let sensor = Sensor(
                    id: identifiers.claim(name), title: "Network \(name.printable)",
                    fields: Self.fields, source: file.path)
                let reader = Reader(file: file, interface: name, awake: awake)
                return DiscoveredSensor(sensor, .polled(reader))
            }
        } catch {
            return [missing(error.message, "mount procfs")]
        }
    }

    private func missing(_ reason: String, _ remedy: String?) -> DiscoveredSensor {
        let sensor = Sensor(
            id: "network", title: "Network", fields: Self.fields, source: file.path)
        return DiscoveredSensor(sensor, .unavailable(reason: reason, remedy: remedy))
    }

    private struct Reader: SampleReader {
        let file: SystemFile
        let interface: String
        let awake: AwakeTime
        private var growth = CounterGrowth()

        init(file: SystemFile, interface: String, awake: @escaping AwakeTime) {
            self.file = file
            self.interface = interface
            self.awake = awake
        }

        mutating func read() throws(SensorError) -> [Value]? {
            let all = try file.interfaces()
            guard let numbers = all.first(where: { $0.name == interface })?.numbers else {
                throw SensorError(.gone, "\(interface) is no longer in \(file.path)")
            }
            var counts: [Int64] = []
            for (_, column) in NetworkDriver.counters { counts.append(try numbers.counter(column)) }
            guard let rates = growth.perSecond(Array(counts[..<4]), at: awake()) else {
                return nil
            }
            return rates.map(Value.number) + counts.map(Value.integer)
        }
    }
}

extension SystemFile {
    /// Each network interface with its numbers, from a table such as `/proc/net/dev`.
    ///
    /// The two lines of headings have no colon.
    func interfaces() throws(SensorError) -> [(name: String, numbers: TableRow)] {
        try lines().compactMap { line in
            guard let colon = line.lastIndex(of: ":") else { return nil }
            let name = String(line[..<colon].trimmedWhitespace)
            return (name, TableRow(line[line.index(after: colon)...], of: self))
        }
    }
}
