import Samples

/// The strength of the signal that each Wi-Fi interface receives; not the name of its network.
///
/// Source: `/proc/net/wireless`, Documentation/networking/statistics.rst and `struct iw_quality` of
/// `linux/wireless.h`. Drivers for Wi-Fi 7 no longer fill this table.
struct WiFiDriver: SensorDriver {
    private static let fields = [
        Field("signal", unit: "dB[mW]"), Field("quality", unit: "%"),
        Field("missedBeacons", unit: "1", kind: .integer),
    ]
    /// The `link` of cfg80211, which all current drivers use, is the signal above −110 dBm, from 0 to 70.
    private static let bestLink = 70.0

    private let file: SystemFile

    init(roots: SystemRoots) {
        file = SystemFile("\(roots.proc)/net/wireless")
    }

    func discover() -> [DiscoveredSensor] {
        let rows: [(name: String, numbers: TableRow)]
        do throws(SensorError) {
            rows = try file.interfaces()
        } catch {
            let remedy = "boot a kernel with CONFIG_CFG80211_WEXT; load the device's driver"
            return [missing(error.message, remedy)]
        }
        guard !rows.isEmpty else {
            return [
                missing(
                    "no Wi-Fi interface in \(file.path)",
                    "connect to a network, as with nmcli device wifi connect")
            ]
        }
        var identifiers = InstanceNames(of: "wifi-signal")
        return rows.map { name, _ in
            let sensor = Sensor(
                id: identifiers.claim(name), title: "Wi-Fi signal of \(name.printable)",
                fields: Self.fields, source: file.path, cadence: .moderate)
            return .probed(
                sensor, Reader(file: file, interface: name),
                remedy: "connect to a network; drivers for Wi-Fi 7 do not report a level here")
        }
    }

    private func missing(_ reason: String, _ remedy: String) -> DiscoveredSensor {
        let sensor = Sensor(
            id: "wifi-signal", title: "Wi-Fi signal", fields: Self.fields, source: file.path,
            cadence: .moderate)
        return DiscoveredSensor(sensor, .unavailable(reason: reason, remedy: remedy))
    }

    private struct Reader: SampleReader {
        let file: SystemFile
        let interface: String

        mutating func read() throws(SensorError) -> [Value]? {
            let all = try file.interfaces()
            guard let row = all.first(where: { $0.name == interface })?.numbers else {
                throw SensorError(.gone, "\(interface) is no longer in \(file.path)")
            }
            let words = row.words
            guard words.count >= 10, let level = number(words[2]), (-150 ... -1).contains(level)
            else { throw file.malformed("has no level in dBm for \(interface)") }
            guard let link = number(words[1]), (0...WiFiDriver.bestLink).contains(link) else {
                throw file.malformed("has no quality from 0 to 70 for \(interface)")
            }
            return [
                .number(level), .number(100 * link / WiFiDriver.bestLink),
                .integer(try row.counter(9)),
            ]
        }

        /// A dot after a number means that it was updated since the last read.
        private func number(_ word: Substring) -> Double? {
            Int(word.hasSuffix(".") ? word.dropLast() : word).map(Double.init)
        }
    }
}
