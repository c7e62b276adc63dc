import Samples

/// The uninterruptible power supplies that the kernel lists, and those of a NUT server.
///
/// All have the fields of a battery; those of NUT also have the time that remains on battery, the load, the
/// input voltage, and whether the mains supply them.
///
/// Source: `/sys/class/power_supply` as in ``BatteryDriver``; RFC 9271, section 4.2, and the names of variables
/// and states in its sections 5.1 and 5.3.
struct UPSDriver: SensorDriver {
    private let roots: SystemRoots
    private let server: NUTServer

    init(roots: SystemRoots, server: NUTServer) {
        (self.roots, self.server) = (roots, server)
    }

    func discover() -> [DiscoveredSensor] {
        var identifiers = InstanceNames(of: "ups")
        var found = PowerSupply.all(roots).filter { $0.type == "UPS" && $0.isPresent }
            .map { BatteryDriver.sensor(of: $0, id: identifiers.claim($0.name)) }
        var reason = ""
        do throws(SensorError) {
            for unit in try server.units() {
                found.append(sensor(of: unit, id: identifiers.claim(unit.name)))
            }
            reason = "no UPS is configured in NUT"
        } catch {
            reason = error.message
        }
        guard found.isEmpty else { return found }
        let folder = PowerSupply.folder(roots)
        let sensor = Sensor(
            id: "ups", title: Self.title, fields: NUTReader.always, source: folder.path,
            cadence: .slow)
        let missing = Availability.unavailable(
            reason: "no UPS under \(folder.path), and \(reason)",
            remedy: "sudo apt-get install nut-server, and describe the UPS in /etc/nut/ups.conf")
        return [DiscoveredSensor(sensor, missing)]
    }

    private static let title = "Uninterruptible power supply"

    private func sensor(of unit: NUTServer.Unit, id: SensorID) -> DiscoveredSensor {
        let source = "\(unit.name)@\(server.address)"
        do throws(SensorError) {
            let reader = NUTReader(
                server, unit: unit.name, having: try server.variables(of: unit.name))
            let sensor = Sensor(
                id: id, title: "\(Self.title) \(unit.title)", fields: reader.fields, source: source,
                cadence: .slow)
            return .probed(sensor, reader, remedy: nil)
        } catch {
            let sensor = Sensor(
                id: id, title: "\(Self.title) \(unit.title)", fields: NUTReader.always,
                source: source, cadence: .slow)
            return DiscoveredSensor(
                sensor,
                .unavailable(
                    reason: error.message, remedy: "sudo systemctl restart nut-driver.target"))
        }
    }
}

/// A NUT server (`upsd`) at an IP address.
public struct NUTServer: Hashable, Sendable {
    /// The address where NUT listens by default.
    public static let standardHost = "127.0.0.1"
    /// The port of RFC 9271.
    public static let standardPort = 3493
    private static let maximumUnits = 16
    private static let maximumLines = 1024

    /// An IP address.
    public let host: String
    /// The port.
    public let port: Int
    /// The time for a whole conversation.
    let timeout: Duration

    /// - Parameters:
    ///   - host: an IP address; names are not looked up.
    ///   - timeout: how long a discovery or a reading waits for it.
    public init(
        host: String = standardHost, port: Int = standardPort,
        timeout: Duration = .milliseconds(200)
    ) {
        (self.host, self.port, self.timeout) = (host, port, timeout)
    }

    /// An uninterruptible power supply of the server.
    struct Unit: Hashable {
        let name: String
        let title: String
    }

    var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The units that the server has; at most 16.
    func units() throws(SensorError) -> [Unit] {
        try list("UPS").prefix(Self.maximumUnits).compactMap { words in
            guard let name = words.first, !name.isEmpty else { return nil }
            let description = words.count > 1 ? words[1] : ""
            let isPlaceholder = description.isEmpty || description == "Description unavailable"
            return Unit(name: name, title: (isPlaceholder ? name : description).printable)
        }
    }

    /// The variables of a unit by name.
    func variables(of unit: String) throws(SensorError) -> [String: String] {
        var variables: [String: String] = [:]
        for words in try list("VAR \(unit)") where words.count == 2 {
            variables[words[0]] = words[1]
        }
        return variables
    }

    /// The items of a list: the words of each line after the query.
    private func list(_ query: String) throws(SensorError) -> [[String]] {
        var refusal: String?
        do throws(LineClient.Failure) {
            var client = try LineClient(host: host, port: port, until: .now + timeout)
            try client.send("LIST \(query)\n")
            var items: [[String]] = []
            for _ in 0..<Self.maximumLines {
                let line = String(decoding: try client.line(), as: UTF8.self)
                if line == "BEGIN LIST \(query)" { continue }
                if line == "END LIST \(query)" {
                    try? client.send("LOGOUT\n")
                    return items
                }
                guard line.hasPrefix("\(query) ") else {
                    refusal = line.hasPrefix("ERR ") ? line : nil
                    throw .ended
                }
                items.append(Self.words(line.dropFirst(query.utf8.count + 1)))
            }
            throw .tooLong
        } catch {
            if let refusal {
                throw SensorError(.unreadable, "NUT at \(address) answers \(refusal.printable)")
            }
            throw failure(error)
        }
    }

    private func failure(_ error: LineClient.Failure) -> SensorError {
        switch error {
        case .unreachable: SensorError(.gone, "no NUT server answers at \(address)")
        case .silent: SensorError(.unreadable, "the server at \(address) did not answer in time")
        case .ended, .tooLong: SensorError(.malformed, "the server at \(address) is not NUT")
        }
    }

    /// Words, of which those in quotation marks may contain spaces and escapes (RFC 9271, section 4.1).
    static func words(_ line: Substring) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        var isEscaped = false
        var hasWord = false
        for character in line {
            if isEscaped {
                word.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
                hasWord = true
            } else if character == " ", !isQuoted {
                if hasWord { words.append(word) }
                (word, hasWord) = ("", false)
            } else {
                word.append(character)
                hasWord = true
            }
        }
        return hasWord ? words + [word] : words
    }
}

/// Reads the variables of one unit of NUT.
private struct NUTReader: SampleReader {
    static let always = [Field("level", unit: "%"), Field("state", kind: .state)]
    /// Fields that a unit may have, with the variable of each.
    private static let measurements = [
        (Field("voltage", unit: "V"), "battery.voltage"),
        (Field("power", unit: "W"), "ups.realpower"),
        (Field("temperature", unit: "Cel"), "ups.temperature"),
        (Field("runtime", unit: "s"), "battery.runtime"),
        (Field("load", unit: "%"), "ups.load"),
        (Field("inputVoltage", unit: "V"), "input.voltage"),
    ]

    private let server: NUTServer
    private let unit: String
    private let measurements: [(field: Field, variable: String)]

    /// - Parameter variables: those that the unit has now.
    init(_ server: NUTServer, unit: String, having variables: [String: String]) {
        (self.server, self.unit) = (server, unit)
        measurements = Self.measurements.filter { variables[$0.1] != nil }
    }

    var fields: [Field] {
        Self.always + [Field("supply", kind: .state)] + measurements.map(\.field)
    }

    mutating func read() throws(SensorError) -> [Value]? {
        let variables = try server.variables(of: unit)
        guard let status = variables["ups.status"] else {
            throw SensorError(.malformed, "\(unit) at \(server.address) has no ups.status")
        }
        let words = Set(status.split(separator: " ").map(String.init))
        let level = try number("battery.charge", in: variables)
        guard (0...100).contains(level) else {
            throw SensorError(
                .malformed, "\(unit) at \(server.address) has a level outside 0 to 100 %")
        }
        var values: [Value] = [
            .number(level), .text(Self.state(words, level)), .text(Self.supply(words)),
        ]
        for item in measurements {
            values.append(.number(try number(item.variable, in: variables)))
        }
        return values
    }

    private func number(
        _ name: String, in variables: [String: String]
    ) throws(SensorError) -> Double {
        guard let number = variables[name].flatMap(Double.init), number.isFinite else {
            throw SensorError(.malformed, "\(unit) at \(server.address) has no number for \(name)")
        }
        return number
    }

    private static func state(_ words: Set<String>, _ level: Double) -> String {
        if words.contains("DISCHRG") || words.contains("OB") { return "discharging" }
        if words.contains("CHRG") { return "charging" }
        guard words.contains("OL") else { return "unknown" }
        return level == 100 ? "full" : "not-charging"
    }

    private static func supply(_ words: Set<String>) -> String {
        if words.contains("OFF") { return "off" }
        if words.contains("OB") { return words.contains("LB") ? "battery-low" : "battery" }
        if words.contains("BYPASS") { return "bypass" }
        return words.contains("OL") ? "mains" : "unknown"
    }
}
