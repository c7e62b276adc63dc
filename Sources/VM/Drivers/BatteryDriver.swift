import Samples

/// The charge of each battery, in the machine and in its peripherals.
///
/// The machine's only battery is `battery`; several batteries, and those of peripherals, are
/// instances. Peripherals that only report a word, such as `low`, have
/// the state `charge` instead of the number `level`. Power has no sign, since drivers do not agree on it; the state tells its direction.
/// Source: `/sys/class/power_supply`, Documentation/ABI/testing/sysfs-class-power, where voltage,
/// current and power are in millionths of a volt, ampere and watt, and temperature in tenths of a
/// degree.
struct BatteryDriver: SensorDriver {
    private let roots: SystemRoots

    init(roots: SystemRoots) {
        self.roots = roots
    }

    func discover() -> [DiscoveredSensor] {
        let batteries = PowerSupply.all(roots).filter { $0.type == "Battery" && $0.isPresent }
        let inside = batteries.filter { !$0.isPeripheral }
        var identifiers = InstanceNames(of: "battery")
        let sensors = batteries.map { battery in
            let alone = inside.count == 1 && !battery.isPeripheral
            return Self.sensor(of: battery, id: alone ? "battery" : identifiers.claim(battery.name))
        }
        return inside.isEmpty ? [missing] + sensors : sensors
    }

    private var missing: DiscoveredSensor {
        let folder = PowerSupply.folder(roots)
        let sensor = Sensor(
            id: "battery", title: "Battery", fields: Measurements.always, source: folder.path,
            cadence: .slow)
        let reason = "no battery under \(folder.path)"
        let remedy = "on a laptop, load the ACPI driver with modprobe battery"
        return DiscoveredSensor(sensor, .unavailable(reason: reason, remedy: remedy))
    }

    /// The sensor of a battery or of a UPS.
    static func sensor(of battery: PowerSupply, id: SensorID) -> DiscoveredSensor {
        let folder = battery.folder
        let model = (folder.line("model_name") ?? battery.name).printable
        let title =
            if battery.type == "UPS" {
                "Uninterruptible power supply \(model)"
            } else {
                battery.isPeripheral ? "Battery of \(model)" : "Battery \(model)"
            }
        guard let measurements = Measurements(folder) else {
            let sensor = Sensor(
                id: id, title: title, fields: Measurements.always, source: folder.path,
                cadence: .slow)
            let reason = "\(folder.path) has no file with the charge of the battery"
            return DiscoveredSensor(sensor, .unavailable(reason: reason, remedy: nil))
        }
        let sensor = Sensor(
            id: id, title: title, fields: measurements.fields, source: folder.path, cadence: .slow)
        return DiscoveredSensor(sensor, .polled(Reader(measurements: measurements)))
    }

    /// The attributes that one battery has.
    private struct Measurements: Sendable {
        static let always = [Field("level", unit: "%"), Field("state", kind: .state)]

        enum Level {
            case percent(SystemFile)
            case ratio(now: SystemFile, full: SystemFile)
            case word(SystemFile)
        }

        enum Power {
            case direct(SystemFile)
            case product(current: SystemFile, voltage: SystemFile)
        }

        let level: Level
        let status: SystemFile?
        let voltage: SystemFile?
        let power: Power?
        let temperature: SystemFile?
        let cycles: SystemFile?

        /// - Returns: `nil` when there is no attribute for the level.
        init?(_ folder: SystemFolder) {
            let entries = Set(folder.names)
            func file(_ name: String) -> SystemFile? {
                entries.contains(name) ? folder.file(name) : nil
            }
            if let capacity = file("capacity") {
                level = .percent(capacity)
            } else if let now = file("energy_now"), let full = file("energy_full") {
                level = .ratio(now: now, full: full)
            } else if let now = file("charge_now"), let full = file("charge_full") {
                level = .ratio(now: now, full: full)
            } else if let word = file("capacity_level") {
                level = .word(word)
            } else {
                return nil
            }
            status = file("status")
            voltage = file("voltage_now")
            if let direct = file("power_now") {
                power = .direct(direct)
            } else if let current = file("current_now"), let voltage {
                power = .product(current: current, voltage: voltage)
            } else {
                power = nil
            }
            temperature = file("temp")
            cycles = file("cycle_count")
        }

        var fields: [Field] {
            var fields = Self.always
            if case .word = level { fields[0] = Field("charge", kind: .state) }
            if voltage != nil { fields.append(Field("voltage", unit: "V")) }
            if power != nil { fields.append(Field("power", unit: "W")) }
            if temperature != nil { fields.append(Field("temperature", unit: "Cel")) }
            if cycles != nil {
                fields.append(Field("cycles", unit: "{cycle}", kind: .integer))
            }
            return fields
        }
    }

    private struct Reader: SampleReader {
        let measurements: Measurements

        mutating func read() throws(SensorError) -> [Value]? {
            var values = [try level(), .text(try state())]
            if let file = measurements.voltage {
                values.append(try file.value(file.number() / 1e6))
            }
            if let power = measurements.power { values.append(try watts(power)) }
            if let file = measurements.temperature {
                values.append(try file.temperature(celsius: file.number() / 10))
            }
            if let file = measurements.cycles { values.append(.integer(try file.integer())) }
            return values
        }

        private func level() throws(SensorError) -> Value {
            switch measurements.level {
            case .percent(let file):
                let percent = try file.number()
                guard (0...100).contains(percent) else {
                    throw file.malformed("has a level outside 0 to 100 %")
                }
                return .number(percent)
            case .ratio(let nowFile, let fullFile):
                let now = try nowFile.number()
                let full = try fullFile.number()
                guard now >= 0, full > 0 else { throw nowFile.malformed("has no valid level") }
                // A charge above that of the last calibration counts as full.
                return .number(min(100, 100 * (now / full)))
            case .word(let file):
                let word = try file.line().lowercased()
                let known = ["critical", "low", "normal", "high", "full"]
                return .text(known.contains(word) ? word : "unknown")
            }
        }

        private func state() throws(SensorError) -> String {
            switch try measurements.status?.line() {
            case "Charging": "charging"
            case "Discharging": "discharging"
            case "Not charging": "not-charging"
            case "Full": "full"
            default: "unknown"
            }
        }

        private func watts(_ power: Measurements.Power) throws(SensorError) -> Value {
            switch power {
            case .direct(let file):
                return try file.value(abs(file.number()) / 1e6)
            case .product(let current, let voltage):
                let amperes = try current.number() / 1e6
                let volts = try voltage.number() / 1e6
                return try current.value(abs(amperes * volts))
            }
        }
    }
}

/// One entry of `/sys/class/power_supply`, Documentation/ABI/testing/sysfs-class-power.
struct PowerSupply: Sendable {
    let name: String
    let folder: SystemFolder
    /// `Battery`, `Mains`, `USB` and so on.
    let type: String

    static func folder(_ roots: SystemRoots) -> SystemFolder {
        SystemFolder("\(roots.sys)/class/power_supply")
    }

    static func all(_ roots: SystemRoots) -> [PowerSupply] {
        let folder = folder(roots)
        return folder.names.compactMap { name in
            let supply = folder.folder(name)
            guard let type = supply.line("type") else { return nil }
            return PowerSupply(name: name, folder: supply, type: type)
        }
    }

    /// Whether it powers a peripheral, such as a mouse, instead of this machine.
    var isPeripheral: Bool { folder.line("scope") == "Device" }

    /// Whether the slot is occupied.
    var isPresent: Bool { folder.line("present") != "0" }
}
