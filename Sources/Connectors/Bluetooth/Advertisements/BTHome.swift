import Samples

/// BTHome, version 2, without encryption: sensors of Shelly and of many makers' own devices.
///
/// The data of the service `fcd2` is a byte about the device, then objects: an identifier, and an integer,
/// little-endian. A second object of a kind has the name with a 2, such as `temperature2`.
/// Source: https://bthome.io/format.
enum BTHome: AdvertisementDecoder {
    private enum Content {
        /// An integer that becomes a number, divided.
        case number(bytes: Int, isSigned: Bool, divisor: Double)
        /// A byte that is 0 or 1.
        case state(off: String, on: String)
        /// The counter of broadcasts.
        case counter
        /// Bytes that are no measurement.
        case skipped(bytes: Int)
        /// A length, then as many bytes.
        case sized
    }

    private static func u(_ bytes: Int, _ divisor: Double = 1) -> Content {
        .number(bytes: bytes, isSigned: false, divisor: divisor)
    }

    private static func s(_ bytes: Int, _ divisor: Double = 1) -> Content {
        .number(bytes: bytes, isSigned: true, divisor: divisor)
    }

    private static func on(_ off: String, _ on: String) -> Content { .state(off: off, on: on) }

    /// The objects by identifier.
    ///
    /// Units: %, °C, hPa, lx, kg, lb, kWh, W, V, µg/m³, ppm, mm, m, s, A, m/s,
    /// L, mL, m³/h, m³, m/s², °/s, µS/cm, ° and revolutions a minute.
    private static let objects: [Int: (name: String, content: Content)] = [
        0x00: ("", .counter), 0x01: ("battery", u(1)), 0x02: ("temperature", s(2, 100)),
        0x03: ("humidity", u(2, 100)), 0x04: ("pressure", u(3, 100)),
        0x05: ("illuminance", u(3, 100)), 0x06: ("mass", u(2, 100)),
        0x07: ("mass-pounds", u(2, 100)), 0x08: ("dew-point", s(2, 100)), 0x09: ("count", u(1)),
        0x0A: ("energy", u(3, 1000)), 0x0B: ("power", u(3, 100)), 0x0C: ("voltage", u(2, 1000)),
        0x0D: ("pm2.5", u(2)), 0x0E: ("pm10", u(2)), 0x0F: ("boolean", on("off", "on")),
        0x10: ("power-state", on("off", "on")), 0x11: ("opening", on("closed", "open")),
        0x12: ("co2", u(2)), 0x13: ("tvoc", u(2)), 0x14: ("moisture", u(2, 100)),
        0x15: ("battery-warning", on("normal", "low")),
        0x16: ("charging", on("not-charging", "charging")),
        0x17: ("carbon-monoxide", on("clear", "detected")), 0x18: ("cold", on("normal", "cold")),
        0x19: ("connection", on("disconnected", "connected")),
        0x1A: ("door", on("closed", "open")), 0x1B: ("garage-door", on("closed", "open")),
        0x1C: ("gas-alarm", on("clear", "detected")), 0x1D: ("heat", on("normal", "hot")),
        0x1E: ("light", on("clear", "detected")), 0x1F: ("lock", on("locked", "unlocked")),
        0x20: ("wetness", on("dry", "wet")), 0x21: ("motion", on("clear", "detected")),
        0x22: ("moving", on("stopped", "moving")), 0x23: ("occupancy", on("clear", "detected")),
        0x24: ("plug", on("unplugged", "plugged")), 0x25: ("presence", on("away", "home")),
        0x26: ("problem", on("ok", "problem")), 0x27: ("running", on("stopped", "running")),
        0x28: ("safety", on("unsafe", "safe")), 0x29: ("smoke", on("clear", "detected")),
        0x2A: ("sound", on("clear", "detected")), 0x2B: ("tamper", on("clear", "detected")),
        0x2C: ("vibration", on("clear", "detected")), 0x2D: ("window", on("closed", "open")),
        0x2E: ("humidity", u(1)), 0x2F: ("moisture", u(1)), 0x3A: ("", .skipped(bytes: 1)),
        0x3C: ("", .skipped(bytes: 2)), 0x3D: ("count", u(2)), 0x3E: ("count", u(4)),
        0x3F: ("rotation", s(2, 10)), 0x40: ("distance-mm", u(2)), 0x41: ("distance", u(2, 10)),
        0x42: ("duration", u(3, 1000)), 0x43: ("current", u(2, 1000)), 0x44: ("speed", u(2, 100)),
        0x45: ("temperature", s(2, 10)), 0x46: ("uv-index", u(1, 10)), 0x47: ("volume", u(2, 10)),
        0x48: ("volume-ml", u(2)), 0x49: ("flow", u(2, 1000)), 0x4A: ("voltage", u(2, 10)),
        0x4B: ("gas", u(3, 1000)), 0x4C: ("gas", u(4, 1000)), 0x4D: ("energy", u(4, 1000)),
        0x4E: ("volume", u(4, 1000)), 0x4F: ("water", u(4, 1000)), 0x50: ("", .skipped(bytes: 4)),
        0x51: ("acceleration", u(2, 1000)), 0x52: ("gyroscope", u(2, 1000)), 0x53: ("", .sized),
        0x54: ("", .sized), 0x55: ("volume-stored", u(4, 1000)), 0x56: ("conductivity", u(2)),
        0x57: ("temperature", s(1)),
        0x58: ("temperature", .number(bytes: 1, isSigned: true, divisor: 1 / 0.35)),
        0x59: ("count", s(1)), 0x5A: ("count", s(2)), 0x5B: ("count", s(4)),
        0x5C: ("power", s(4, 100)), 0x5D: ("current", s(2, 1000)), 0x5E: ("direction", u(2, 100)),
        0x5F: ("precipitation", u(2, 10)), 0x60: ("channel", u(1)),
        0x61: ("rotational-speed", u(2)), 0xF0: ("", .skipped(bytes: 2)),
        0xF1: ("", .skipped(bytes: 4)), 0xF2: ("", .skipped(bytes: 3)),
    ]

    static let names: [String] = {
        let names = Set(objects.values.map(\.name)).subtracting([""]).sorted()
        return names.flatMap { name in [name] + (2...4).map { "\(name)\($0)" } }
    }()

    static func decode(
        _ advertisement: Advertisement
    ) throws(AdvertisementFault) -> AdvertisedValues? {
        guard let uuid = BluetoothUUID("fcd2"), let bytes = advertisement.services[uuid] else {
            return nil
        }
        var reader = ByteReader(bytes)
        let device = try reader.unsigned(1)
        guard device & 1 == 0 else { throw .encrypted }
        guard device >> 5 == 2 else { throw .malformed }
        var found = AdvertisedValues()
        while reader.count > 0 {
            // Objects are in ascending order, so that receivers read those that they know. The length of
            // an unknown one is not known either.
            guard let object = objects[try reader.unsigned(1)] else { break }
            switch object.content {
            case .counter: found.counter = try reader.unsigned(1)
            case .skipped(let count): _ = try reader.bytes(count)
            case .sized: _ = try reader.bytes(try reader.unsigned(1))
            case .state(let off, let on):
                found.add(object.name, .text(try reader.unsigned(1) == 0 ? off : on))
            case .number(let count, let isSigned, let divisor):
                let whole = isSigned ? try reader.signed(count) : try reader.unsigned(count)
                found.add(object.name, .number(Double(whole) / divisor))
            }
        }
        return found
    }
}

extension AdvertisedValues {
    /// Adds a value under its name, or with the next number if there is one already.
    fileprivate mutating func add(_ name: String, _ value: Value) {
        var number = 1
        var key = name
        while values[key] != nil {
            number += 1
            key = "\(name)\(number)"
        }
        values[key] = value
    }
}
