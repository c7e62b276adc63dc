import Ingest
import Samples

/// The equivalent of a `device_class` of Home Assistant: a kind of sensor, its field and its states.
struct DeviceClass: Hashable, Sendable {
    let kind: SensorID
    let field: String
    /// The states for on and off; `nil` if it is not a binary sensor.
    var states: States?

    struct States: Hashable, Sendable {
        let on: String
        let off: String
    }

    /// Classes whose kind and field are named differently here.
    private static let numbers: [String: (kind: SensorID, field: String)] = [
        "temperature": ("temperature", "temperature"), "humidity": ("humidity", "humidity"),
        "pressure": ("barometer", "pressure"), "atmospheric_pressure": ("barometer", "pressure"),
        "illuminance": ("light", "illuminance"), "battery": ("battery", "level"),
        // The kinds power and pressure have another meaning here.
        "power": ("electric-power", "power"), "distance": ("distance", "distance"),
    ]

    private static let binaries: [String: (kind: SensorID, on: String, off: String)] = [
        "battery": ("battery-warning", "low", "normal"),
        "battery_charging": ("charging", "charging", "not-charging"),
        "carbon_monoxide": ("carbon-monoxide-alarm", "detected", "clear"),
        "cold": ("cold", "cold", "normal"),
        "connectivity": ("connection", "connected", "disconnected"),
        "door": ("door", "open", "closed"),
        "garage_door": ("garage-door", "open", "closed"),
        "gas": ("gas-alarm", "detected", "clear"),
        "heat": ("heat", "hot", "normal"),
        "light": ("light-presence", "detected", "clear"),
        "lock": ("lock", "unlocked", "locked"),
        "moisture": ("wetness", "wet", "dry"),
        "motion": ("motion", "detected", "clear"),
        "moving": ("moving", "moving", "stopped"),
        "occupancy": ("occupancy", "detected", "clear"),
        "opening": ("opening", "open", "closed"),
        "plug": ("plug", "plugged", "unplugged"),
        "power": ("power-presence", "detected", "clear"),
        "presence": ("presence", "home", "away"),
        "problem": ("problem", "problem", "ok"),
        "running": ("running", "running", "stopped"),
        "safety": ("safety", "unsafe", "safe"),
        "smoke": ("smoke", "detected", "clear"),
        "sound": ("sound-presence", "detected", "clear"),
        "tamper": ("tamper", "detected", "clear"),
        "update": ("update", "available", "current"),
        "vibration": ("vibration-presence", "detected", "clear"),
        "window": ("window", "open", "closed"),
    ]

    /// The class of a numeric sensor; an unknown class becomes the kind of the same name.
    static func number(_ name: String?) -> DeviceClass {
        guard let name, let words = words(of: name) else {
            return DeviceClass(kind: "measurement", field: "value")
        }
        if let known = numbers[name] { return DeviceClass(kind: known.kind, field: known.field) }
        guard let kind = SensorID(words.joined(separator: "-")) else {
            return DeviceClass(kind: "measurement", field: "value")
        }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        // t is the name of the time.
        let field = words[0] + rest.joined()
        return DeviceClass(kind: kind, field: field == "t" ? "value" : field)
    }

    /// The class of a sensor with states or texts.
    static let state = DeviceClass(kind: "condition", field: "state")

    /// The class of a binary sensor.
    static func binary(_ name: String?) -> DeviceClass {
        let known = name.flatMap { binaries[$0] }
        return DeviceClass(
            kind: known?.kind ?? "contact", field: "state",
            states: States(on: known?.on ?? "on", off: known?.off ?? "off"))
    }

    /// The classes of binary sensors with specific states.
    static var binaryNames: [String] { binaries.keys.sorted() }

    private static func words(of name: String) -> [String]? {
        guard name.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil, name.utf8.count <= 40
        else { return nil }
        return name.split(separator: "_").map(String.init)
    }
}

/// A simple `value_template` of Home Assistant, such as `{{ value }}` and
/// `{{ value_json.battery['level'] }}`.
///
/// Templates with expressions would need a Jinja interpreter and are not supported.
enum ValueTemplate: Hashable, Sendable {
    /// The whole message.
    case whole
    /// A value of a JSON message.
    case member(JSONPath, String)

    /// - Returns: `nil` for an unsupported template.
    init?(_ text: String) {
        guard text.utf8.count <= 256,
            let match = text.wholeMatch(
                of: /\s*\{\{-?\s*(value|value_json([^{}|\s][^{}|]*?))\s*-?\}\}\s*/)
        else { return nil }
        guard let path = match.2 else {
            self = .whole
            return
        }
        // A path begins with a dot or a bracket, unlike an expression such as `value_json + 1`.
        guard path.first == "." || path.first == "[", !path.contains(where: \.isWhitespace),
            !path.contains("("), let member = try? JSONPath("$" + path)
        else { return nil }
        self = .member(member, String(path))
    }

    /// The payload format.
    var format: PayloadFormat {
        switch self {
        case .whole: .plain
        case .member: .json
        }
    }

    /// The name of the value in the payload format.
    var name: String {
        switch self {
        case .whole: "value"
        case .member(_, let path): "$" + path
        }
    }
}

/// Maps the units of Home Assistant to UCUM.
///
/// Source: `homeassistant/const.py` for the units, https://ucum.org/ucum for the UCUM codes.
enum UnitNames {
    private static let table = [
        "°C": "Cel", "℃": "Cel", "C": "Cel", "°F": "[degF]", "℉": "[degF]", "F": "[degF]", "K": "K",
        "%": "%", "Pa": "Pa", "hPa": "hPa", "kPa": "kPa", "mbar": "mbar", "bar": "bar",
        "cbar": "cbar",
        "mmHg": "mm[Hg]", "inHg": "[in_i'Hg]", "psi": "[psi]", "lx": "lx", "lm": "lm",
        "mW": "mW", "W": "W", "kW": "kW", "MW": "MW", "VA": "V.A", "kVA": "kV.A",
        "var": "V.A", "Wh": "W.h", "kWh": "kW.h", "MWh": "MW.h", "J": "J", "kJ": "kJ", "MJ": "MJ",
        "GJ": "GJ", "mV": "mV", "V": "V", "kV": "kV", "mA": "mA", "A": "A", "Ah": "A.h",
        "mAh": "mA.h", "Hz": "Hz", "kHz": "kHz", "MHz": "MHz", "GHz": "GHz",
        "ppm": "[ppm]", "ppb": "[ppb]", "µg/m³": "ug/m3", "μg/m³": "ug/m3", "ug/m³": "ug/m3",
        "ug/m3": "ug/m3", "mg/m³": "mg/m3", "g/m³": "g/m3", "dB": "dB", "dBA": "dB[SPL]",
        "dBm": "dB[mW]", "µs": "us", "ms": "ms", "s": "s", "min": "min", "h": "h", "d": "d",
        "mm": "mm", "cm": "cm", "m": "m", "km": "km", "in": "[in_i]", "ft": "[ft_i]",
        "yd": "[yd_i]", "mi": "[mi_i]", "m/s": "m/s", "km/h": "km/h", "mph": "[mi_i]/h",
        "kn": "[kn_i]", "ft/s": "[ft_i]/s", "mm/h": "mm/h", "mm/d": "mm/d", "in/h": "[in_i]/h",
        "mL": "mL", "L": "L", "m³": "m3", "ft³": "[ft_i]3", "gal": "[gal_us]", "L/min": "L/min",
        "m³/h": "m3/h", "m³/s": "m3/s", "µg": "ug", "mg": "mg", "g": "g", "kg": "kg",
        "lb": "[lb_av]",
        "oz": "[oz_av]", "W/m²": "W/m2", "µS/cm": "uS/cm", "mS/cm": "mS/cm", "°": "deg",
        "rpm": "{rev}/min", "B": "By", "kB": "kBy", "MB": "MBy", "GB": "GBy", "KiB": "KiBy",
        "MiB": "MiBy", "GiB": "GiBy", "bit/s": "bit/s", "kbit/s": "kbit/s", "Mbit/s": "Mbit/s",
        "pH": "[pH]", "mg/dL": "mg/dL", "mmol/L": "mmol/L", "steps": "{step}", "bpm": "{beat}/min",
    ]

    /// - Returns: `nil` for an unknown unit.
    static func ucum(_ unit: String) -> String? { table[unit] }
}
