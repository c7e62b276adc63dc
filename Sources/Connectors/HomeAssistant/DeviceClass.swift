import Foundation
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

    /// The conversion of a value in a UCUM unit; temperatures become degrees Celsius.
    ///
    /// - Parameter unit: `nil` for none or an unknown one.
    func rule(unit: String?) -> FieldRule {
        switch (kind, unit) {
        case ("temperature", "[degF]"):
            FieldRule(Field(field, unit: "Cel"), scale: 5.0 / 9, offset: -160.0 / 9)
        case ("temperature", "K"): FieldRule(Field(field, unit: "Cel"), offset: -273.15)
        // Devices report -1 while they do not know the charge.
        case ("battery", "%"): FieldRule(Field(field, unit: "%"), sentinel: -1)
        default: FieldRule(Field(field, unit: unit ?? "1"))
        }
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

    /// The class of a binary sensor, and its states, of a kind that has two.
    static func binary(of kind: SensorID) -> (name: String, states: States)? {
        binaries.first { $0.value.kind == kind }.map {
            ($0.key, States(on: $0.value.on, off: $0.value.off))
        }
    }

    /// The classes of binary sensors with specific states.
    static var binaryNames: [String] { binaries.keys.sorted() }

    private static func words(of name: String) -> [String]? {
        guard name.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil, name.utf8.count <= 40
        else { return nil }
        return name.split(separator: "_").map(String.init)
    }
}

/// Maps the units of Home Assistant to UCUM.
///
/// Source: `homeassistant/const.py` for the units, https://ucum.org/ucum for the UCUM codes.
enum UnitNames {
    private static let table = [
        "°C": "Cel", "℃": "Cel", "C": "Cel", "°F": "[degF]", "℉": "[degF]", "F": "[degF]", "K": "K",
        "%": "%", "Pa": "Pa", "hPa": "hPa", "kPa": "kPa", "mbar": "mbar", "bar": "bar",
        "cbar": "cbar", "mmHg": "mm[Hg]", "inHg": "[in_i'Hg]", "psi": "[psi]", "lx": "lx",
        "lm": "lm", "mW": "mW", "W": "W", "kW": "kW", "MW": "MW", "VA": "V.A", "kVA": "kV.A",
        "var": "V.A", "Wh": "W.h", "kWh": "kW.h", "MWh": "MW.h", "J": "J", "kJ": "kJ", "MJ": "MJ",
        "GJ": "GJ", "mV": "mV", "V": "V", "kV": "kV", "mA": "mA", "A": "A", "Ah": "A.h",
        "mAh": "mA.h", "Hz": "Hz", "kHz": "kHz", "MHz": "MHz", "GHz": "GHz", "ppm": "[ppm]",
        "ppb": "[ppb]", "µg/m³": "ug/m3", "μg/m³": "ug/m3", "ug/m³": "ug/m3", "ug/m3": "ug/m3",
        "mg/m³": "mg/m3", "g/m³": "g/m3", "dB": "dB", "dBA": "dB[SPL]", "dBm": "dB[mW]", "µs": "us",
        "ms": "ms", "s": "s", "min": "min", "h": "h", "d": "d", "mm": "mm", "cm": "cm", "m": "m",
        "km": "km", "in": "[in_i]", "ft": "[ft_i]", "yd": "[yd_i]", "mi": "[mi_i]", "m/s": "m/s",
        "km/h": "km/h", "mph": "[mi_i]/h", "kn": "[kn_i]", "ft/s": "[ft_i]/s", "mm/h": "mm/h",
        "mm/d": "mm/d", "in/h": "[in_i]/h", "mL": "mL", "L": "L", "m³": "m3", "ft³": "[ft_i]3",
        "gal": "[gal_us]", "L/min": "L/min", "m³/h": "m3/h", "m³/s": "m3/s", "µg": "ug", "mg": "mg",
        "g": "g", "kg": "kg", "lb": "[lb_av]", "oz": "[oz_av]", "W/m²": "W/m2", "µS/cm": "uS/cm",
        "mS/cm": "mS/cm", "°": "deg", "rpm": "{rev}/min", "B": "By", "kB": "kBy", "MB": "MBy",
        "GB": "GBy", "KiB": "KiBy", "MiB": "MiBy", "GiB": "GiBy", "bit/s": "bit/s",
        "kbit/s": "kbit/s", "Mbit/s": "Mbit/s", "lux": "lx", "Lux": "lx", "LUX": "lx", "Lx": "lx",
        "VAr": "V.A", "VAR": "V.A", "kvar": "kV.A", "kVAr": "kV.A", "varh": "V.A.h",
        "kvarh": "kV.A.h", "VAh": "V.A.h", "kVAh": "kV.A.h", "lqi": "{lqi}", "LQI": "{lqi}",
        "cm²": "cm2", "m²": "m2", "pulses": "{pulse}", "pulse": "{pulse}",
        "pulses/min": "{pulse}/min", "Cos φ": "1", "RPM": "{rev}/min", "r/min": "{rev}/min",
        "l": "L", "ml": "mL", "l/min": "L/min", "l/h": "L/h", "L/h": "L/h", "L/s": "L/s",
        "mL/s": "mL/s", "m3": "m3", "m3/h": "m3/h", "m³/min": "m3/min", "ft³/min": "[ft_i]3/min",
        "CCF": "100.[ft_i]3", "gal/min": "[gal_us]/min", "W/m2": "W/m2", "μW": "uW", "µW": "uW",
        "mWh": "mW.h", "GWh": "GW.h", "GW": "GW", "µV": "uV", "μV": "uV", "µA": "uA", "μA": "uA",
        "Ω": "Ohm", "kΩ": "kOhm", "kohm": "kOhm", "uS/cm": "uS/cm", "µSv/h": "uSv/h",
        "Bq/m³": "Bq/m3", "pCi/L": "pCi/L", "sec": "s", "seconds": "s", "minutes": "min",
        "hours": "h", "days": "d", "weeks": "wk", "w": "wk", "y": "a", "m/s²": "m/s2",
        "mi/h": "[mi_i]/h", "kmh": "km/h", "deg": "deg", "degrees": "deg", "rad": "rad",
        "°/s": "deg/s", "hPa/h": "hPa/h", "bytes": "By", "bit": "bit", "Gbit/s": "Gbit/s",
        "Mb/s": "Mbit/s", "B/s": "By/s", "kB/s": "kBy/s", "MB/s": "MBy/s", "GB/s": "GBy/s",
        "KiB/s": "KiBy/s", "kcal": "kcal", "cal": "cal", "Wh/km": "W.h/km", "st": "[stone_av]",
        "pm": "pm", "µm": "um", "μm": "um", "ppt": "[pptr]", "g/kg": "g/kg", "dB(A)": "dB[SPL]",
        "counts": "{count}", "count": "{count}", "ug": "ug", "μg": "ug", "us": "us", "km²": "km2",
        "in²": "[in_i]2", "ft²": "[ft_i]2", "in/d": "[in_i]/d", "Mbps": "Mbit/s",
        "µg/ft³": "ug/[ft_i]3", "kWh/100km": "kW.h/(100.km)", "TB": "TBy", "TiB": "TiBy",
        "mm/hr": "mm/h", "mi/kWh": "[mi_i]/(kW.h)", "km/kWh": "km/(kW.h)", "mVA": "mV.A",
        "cfm": "[ft_i]3/min", "l/s": "L/s", "m³/d": "m3/d", "N": "N", "kN": "kN", "T": "T",
        "µT": "uT", "kPa/h": "kPa/h", "°dH": "{dH}", "UV index": "{UVI}", "UVI": "{UVI}",
        "pH": "[pH]", "mg/dL": "mg/dL", "mmol/L": "mmol/L", "steps": "{step}", "bpm": "{beat}/min",
    ]

    /// - Returns: `nil` for an unknown unit.
    static func ucum(_ unit: String) -> String? {
        let trimmed = unit.trimmingCharacters(in: .whitespaces)
        return table[trimmed] ?? table[trimmed.replacing("μ", with: "µ")]
    }
}
