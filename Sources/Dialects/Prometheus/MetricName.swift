public import Samples

/// The name of the metric of a field, by the conventions of Prometheus: prefix, what is measured, unit.
///
/// The kind of the sensor is part of the name, and its instance is a label, so that one query covers all sensors of a
/// kind. Values are never converted, so that they are those of the API; the unit in the name is the field's own.
///
/// ```swift
/// MetricName(of: Field("rxRate", unit: "By/s"), "network").sample  // sensor_network_rx_rate_bytes_per_second
/// MetricName(of: Field("temperature", unit: "Cel"), "temperature").sample  // sensor_temperature_celsius
/// ```
///
/// Source: *Metric and label naming*, and OpenMetrics 1.0, *Units and base units*.
public struct MetricName: Hashable, Sendable {
    /// The name of the family.
    public let family: String
    /// The unit at the end of the name; `nil` for a number without a unit.
    public let unit: String?
    /// Whether the value only grows, except for restarts.
    public let isCounter: Bool

    /// The name of a sample: that of the family, and `_total` for a counter.
    public var sample: String { isCounter ? family + "_total" : family }

    /// - Parameter kind: of the sensor.
    public init(of field: Field, _ kind: SensorID) {
        let (kindName, fieldName) = (Self.words(kind.description), Self.words(field.name))
        unit = field.unit.flatMap(MetricUnit.name)
        isCounter = Self.counters[kind]?.contains(field.name) == true
        family = Self.family(
            [kindName, fieldName == kindName ? "" : fieldName], unit, isCounter: isCounter)
    }

    private init(family: String, unit: String?) {
        (self.family, self.unit, isCounter) = (family, unit, false)
    }

    /// The name of the metric of the distribution of a field's values, which is another than that of the values.
    public static func distribution(of field: Field, _ kind: SensorID) -> MetricName {
        statistic("distribution", of: field, kind)
    }

    /// The name of the metric of a statistic of a field, such as its mean.
    public static func statistic(
        _ name: String, of field: Field, _ kind: SensorID, hasUnit: Bool = true
    ) -> MetricName {
        let (kindName, fieldName) = (words(kind.description), words(field.name))
        let unit = hasUnit ? field.unit.flatMap(MetricUnit.name) : nil
        // The unit in the name of the field is then no longer at its end.
        let parts = [kindName, fieldName == kindName ? "" : fieldName, name]
        return MetricName(family: family(parts, unit, isCounter: false), unit: unit)
    }

    /// Fields whose values are totals since some start; no other field is known to be one.
    private static let counters: [SensorID: Set<String>] = [
        "disk": ["readBytes", "writtenBytes"], "steps": ["steps"], "battery": ["cycles"],
        "wifi-signal": ["missedBeacons"],
    ]
    /// Suffixes that have a meaning of their own.
    private static let reserved = ["_total", "_created", "_count", "_sum", "_bucket", "_info"]

    private static func family(_ parts: [String], _ unit: String?, isCounter: Bool) -> String {
        var name = (["sensor"] + parts.filter { !$0.isEmpty }).joined(separator: "_")
        if let unit, !name.hasSuffix("_" + unit) { name += "_" + unit }
        if !isCounter, reserved.contains(where: name.hasSuffix) { name += "_value" }
        return name
    }

    /// `rxRate` and `air-quality` as words joined by underscores.
    static func words(_ name: String) -> String {
        var bytes: [UInt8] = []
        // A capital letter begins a word after a small one and after a digit.
        var canBegin = false
        for scalar in name.unicodeScalars {
            switch scalar {
            case "A"..."Z":
                if canBegin { bytes.append(UInt8(ascii: "_")) }
                bytes.append(UInt8(scalar.value) | 0x20)
                canBegin = false
            case "a"..."z", "0"..."9":
                bytes.append(UInt8(scalar.value))
                canBegin = true
            default:
                bytes.append(UInt8(ascii: "_"))
                canBegin = false
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The names of units in the names of metrics.
enum MetricUnit {
    /// UCUM codes that are not just sanitised.
    private static let names: [String: String] = [
        "%": "percent", "[ppm]": "parts_per_million", "[pH]": "ph",
        "Cel": "celsius", "K": "kelvin", "[degF]": "fahrenheit",
        "By": "bytes", "kBy": "kilobytes", "MBy": "megabytes", "GBy": "gigabytes", "bit": "bits",
        "s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds",
        "min": "minutes", "h": "hours", "d": "days",
        "m": "meters", "mm": "millimeters", "cm": "centimeters", "km": "kilometers",
        "m2": "square_meters", "m3": "cubic_meters", "L": "liters", "mL": "milliliters",
        "g": "grams", "mg": "milligrams", "ug": "micrograms", "kg": "kilograms",
        "Hz": "hertz", "kHz": "kilohertz", "MHz": "megahertz", "GHz": "gigahertz",
        "V": "volts", "mV": "millivolts", "A": "amperes", "mA": "milliamperes", "W": "watts",
        "mW": "milliwatts", "kW": "kilowatts", "J": "joules", "kJ": "kilojoules", "Ohm": "ohms",
        "W.h": "watt_hours", "kW.h": "kilowatt_hours", "A.h": "ampere_hours",
        "mA.h": "milliampere_hours",
        "Pa": "pascals", "hPa": "hectopascals", "kPa": "kilopascals", "bar": "bars",
        "lx": "lux", "lm": "lumens", "cd": "candelas", "dB": "decibels",
        "dB[mW]": "decibel_milliwatts", "deg": "degrees", "rad": "radians", "N": "newtons",
        "T": "teslas", "mT": "milliteslas", "uT": "microteslas", "nT": "nanoteslas",
        "uSv": "microsieverts", "mol": "moles", "mmol": "millimoles",
    ]
    /// What is below the stroke, in the singular.
    private static let singular: [String: String] = [
        "s": "second", "min": "minute", "h": "hour", "d": "day", "m": "meter", "km": "kilometer",
        "m2": "square_meter", "m3": "cubic_meter", "L": "liter", "dL": "deciliter",
        "kg": "kilogram",
        "s2": "second_squared",
    ]

    /// - Returns: `nil` for the unit 1, and for units that only name what is counted, such as `{step}`.
    static func name(_ code: String) -> String? {
        if let known = names[code] { return known }
        // An annotation in braces does not change a unit.
        let plain = withoutAnnotations(code)
        guard !plain.isEmpty, plain != "1" else { return nil }
        let parts = plain.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1 else { return names[plain] ?? sanitised(plain) }
        // m/s2 is known by a name of its own.
        if parts == ["m", "s2"] { return "meters_per_second_squared" }
        let top = parts[0].isEmpty || parts[0] == "1" ? nil : names[parts[0]] ?? sanitised(parts[0])
        let below = parts.dropFirst().map { "per_" + (singular[$0] ?? sanitised($0) ?? "unit") }
        return ([top].compactMap { $0 } + below).joined(separator: "_")
    }

    private static func withoutAnnotations(_ code: String) -> String {
        var rest = code[...]
        var result = ""
        while let begin = rest.firstIndex(of: "{"), let end = rest[begin...].firstIndex(of: "}") {
            result += rest[..<begin]
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func sanitised(_ code: String) -> String? {
        let words = code.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return words.isEmpty ? nil : words.joined(separator: "_").lowercased()
    }
}
