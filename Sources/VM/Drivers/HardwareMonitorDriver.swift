import Samples

/// The temperatures, fans, voltages, currents, powers and humidities of each monitoring chip.
///
/// Each chip is a sensor and each input a field, named by its label if it has one. Drivers of the older style
/// have their attributes in the folder `device` of the chip. Source: `/sys/class/hwmon/hwmon*`,
/// Documentation/hwmon/sysfs-interface.rst.
struct HardwareMonitorDriver: SensorDriver {
    private let folder: SystemFolder

    init(roots: SystemRoots) {
        folder = SystemFolder("\(roots.sys)/class/hwmon")
    }

    func discover() -> [DiscoveredSensor] {
        var identifiers = InstanceNames(of: "hwmon")
        let chips = folder.names.compactMap { entry -> DiscoveredSensor? in
            var chip = folder.folder(entry)
            let device = chip.folder("device")
            let name = chip.line("name") ?? device.line("name") ?? entry
            var inputs = Self.inputs(of: chip)
            if inputs.isEmpty {
                chip = device
                inputs = Self.inputs(of: chip)
            }
            guard !inputs.isEmpty else { return nil }
            let sensor = Sensor(
                id: identifiers.claim(name), title: "Hardware monitor \(name.printable)",
                fields: inputs.map { Field($0.field, unit: $0.quantity.unit) }, source: chip.path)
            return DiscoveredSensor(sensor, .polled(Reader(inputs: inputs)))
        }
        guard chips.isEmpty else { return chips }
        let sensor = Sensor(
            id: "hwmon", title: "Hardware monitors",
            fields: [Field("temp1", unit: Quantity.temperature.unit)], source: folder.path)
        let missing = Availability.unavailable(
            reason: "no monitoring chip under \(folder.path)",
            remedy: "find its driver with sensors-detect from the package lm-sensors")
        return [DiscoveredSensor(sensor, missing)]
    }

    private static func inputs(of chip: SystemFolder) -> [Input] {
        var names = FieldNames()
        let entries = Set(chip.names)
        return Quantity.allCases.flatMap { quantity in
            let channels = entries.compactMap(quantity.channel).sorted()
            return Set(channels).sorted().compactMap { channel -> Input? in
                let base = "\(quantity.rawValue)\(channel)"
                let suffix = entries.contains("\(base)_input") ? "input" : "average"
                let file = chip.file("\(base)_\(suffix)")
                let fault = entries.contains("\(base)_fault") ? chip.file("\(base)_fault") : nil
                guard isPopulated(file, fault) else { return nil }
                let field = names.claim(label: chip.line("\(base)_label"), fallback: base)
                return Input(file: file, fault: fault, field: field, quantity: quantity)
            }
        }
    }

    /// Some chips list inputs that are not connected; reading them fails with "no such device", or they
    /// always report a fault.
    private static func isPopulated(_ file: SystemFile, _ fault: SystemFile?) -> Bool {
        do throws(SensorError) {
            _ = try file.number()
            return try fault?.number() != 1
        } catch {
            return error.code != .gone
        }
    }

    private struct Input: Sendable {
        let file: SystemFile
        /// Contains 1 while the input has no meaning, for example because its diode is open.
        let fault: SystemFile?
        let field: String
        let quantity: Quantity
    }

    /// The quantity of an input; its raw value is the prefix of the file name.
    private enum Quantity: String, CaseIterable {
        case temperature = "temp"
        case fan
        case voltage = "in"
        case current = "curr"
        case power
        case humidity

        var unit: String {
            switch self {
            case .temperature: "Cel"
            case .fan: "/min"
            case .voltage: "V"
            case .current: "A"
            case .power: "W"
            case .humidity: "%"
            }
        }

        /// How many of the kernel's units make one unit of the field.
        var divisor: Double {
            switch self {
            case .temperature, .voltage, .current, .humidity: 1000
            case .fan: 1
            case .power: 1_000_000
            }
        }

        /// The number in `temp3_input`, if the file is an input of this quantity.
        ///
        /// Some chips measure power only as an average.
        func channel(of entry: String) -> Int? {
            let suffixes = self == .power ? ["_input", "_average"] : ["_input"]
            guard entry.hasPrefix(rawValue),
                let suffix = suffixes.first(where: entry.hasSuffix)
            else { return nil }
            let digits = entry.dropFirst(rawValue.count).dropLast(suffix.count)
            guard digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
            return Int(digits)
        }
    }

    private struct Reader: SampleReader {
        let inputs: [Input]

        mutating func read() throws(SensorError) -> [Value]? {
            var values: [Value] = []
            for input in inputs {
                if let fault = input.fault, try fault.number() == 1 {
                    throw SensorError(
                        .malformed,
                        "\(fault.path) reports a fault of the input \(input.field); is it connected?"
                    )
                }
                let number = try input.file.number() / input.quantity.divisor
                if input.quantity == .temperature {
                    values.append(try input.file.temperature(celsius: number))
                } else {
                    values.append(.number(number))
                }
            }
            return values
        }
    }
}
