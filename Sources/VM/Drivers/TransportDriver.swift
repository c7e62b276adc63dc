import Samples

/// The connections and segments of TCP, and the datagrams of UDP, over IPv4 and IPv6.
///
/// Source: `/proc/net/snmp`, whose counters of TCP include IPv6, and `/proc/net/snmp6`; RFC 4022 and
/// RFC 4113, Documentation/networking/snmp_counter.rst.
struct TransportDriver: SensorDriver {
    private static let tcpRates = [
        ("received", "InSegs"), ("sent", "OutSegs"), ("retransmitted", "RetransSegs"),
        ("opened", "ActiveOpens"), ("accepted", "PassiveOpens"), ("failed", "AttemptFails"),
    ]
    private static let udpRates = [
        ("received", "InDatagrams"), ("sent", "OutDatagrams"), ("errors", "InErrors"),
        ("noPort", "NoPorts"),
    ]

    private let file: SystemFile
    private let newer: SystemFile
    private let awake: AwakeTime

    init(roots: SystemRoots, awake: @escaping AwakeTime = systemAwakeTime) {
        file = SystemFile("\(roots.proc)/net/snmp")
        newer = SystemFile("\(roots.proc)/net/snmp6")
        self.awake = awake
    }

    func discover() -> [DiscoveredSensor] {
        func rates(_ names: [(String, String)]) -> [Field] {
            names.map { Field($0.0, unit: "/s") }
        }
        let connections = Field("established", unit: "{connection}", kind: .integer)
        let tcp = Sensor(
            id: "tcp", title: "TCP connections and segments",
            fields: rates(Self.tcpRates) + [connections], source: file.path, cadence: .moderate)
        let udp = Sensor(
            id: "udp", title: "UDP datagrams", fields: rates(Self.udpRates), source: file.path,
            cadence: .moderate)
        return [
            .probed(tcp, TCPReader(file: file, awake: awake), remedy: "mount procfs"),
            .probed(
                udp, UDPReader(file: file, newer: newer, awake: awake), remedy: "mount procfs"),
        ]
    }

    /// The counters of a protocol, which a line of names and a line of numbers list.
    private static func counters(
        of transport: String, in file: SystemFile
    ) throws(SensorError) -> [Substring: Int64] {
        let rows = try file.lines().map { TableRow($0, of: file) }
            .filter { $0.words.first == "\(transport):" }
        guard rows.count == 2, rows[0].words.count == rows[1].words.count else {
            throw file.malformed("lacks the counters of \(transport)")
        }
        var counters: [Substring: Int64] = [:]
        for (name, number) in zip(rows[0].words, rows[1].words).dropFirst() {
            // MaxConn is −1 where there is no limit.
            counters[name] = Int64(number)
        }
        return counters
    }

    private static func values(
        _ names: [(String, String)], of counters: [Substring: Int64], in file: SystemFile
    ) throws(SensorError) -> [Int64] {
        var values: [Int64] = []
        for (_, name) in names {
            guard let value = counters[Substring(name)], value >= 0 else {
                throw file.malformed("lacks the counter \(name)")
            }
            values.append(value)
        }
        return values
    }

    private struct TCPReader: SampleReader {
        let file: SystemFile
        let awake: AwakeTime
        private var growth = CounterGrowth()

        init(file: SystemFile, awake: @escaping AwakeTime) {
            (self.file, self.awake) = (file, awake)
        }

        mutating func read() throws(SensorError) -> [Value]? {
            let counters = try TransportDriver.counters(of: "Tcp", in: file)
            let counts = try TransportDriver.values(
                TransportDriver.tcpRates + [("", "CurrEstab")], of: counters, in: file)
            guard let rates = growth.perSecond(Array(counts.dropLast()), at: awake()) else {
                return nil
            }
            return rates.map(Value.number) + counts.suffix(1).map(Value.integer)
        }
    }

    private struct UDPReader: SampleReader {
        let file: SystemFile
        let newer: SystemFile
        let awake: AwakeTime
        private var growth = CounterGrowth()

        init(file: SystemFile, newer: SystemFile, awake: @escaping AwakeTime) {
            (self.file, self.newer, self.awake) = (file, newer, awake)
        }

        mutating func read() throws(SensorError) -> [Value]? {
            let old = try TransportDriver.values(
                TransportDriver.udpRates,
                of: try TransportDriver.counters(of: "Udp", in: file), in: file)
            let new = try ofIPv6()
            var counts: [Int64] = []
            for (one, other) in zip(old, new) {
                let (sum, overflow) = one.addingReportingOverflow(other)
                guard !overflow else { throw file.malformed("counts beyond 64 bits") }
                counts.append(sum)
            }
            return growth.perSecond(counts, at: awake())?.map(Value.number)
        }

        /// Zeros on a machine without IPv6, which has no such file.
        private func ofIPv6() throws(SensorError) -> [Int64] {
            guard newer.exists else {
                return [Int64](repeating: 0, count: TransportDriver.udpRates.count)
            }
            var counters: [Substring: Int64] = [:]
            for line in try newer.lines() where line.hasPrefix("Udp6") {
                let row = TableRow(line, of: newer)
                counters[row.words[0].dropFirst(4)] = try row.counter(1)
            }
            return try TransportDriver.values(TransportDriver.udpRates, of: counters, in: newer)
        }
    }
}
