/// The units that Home Assistant and the programs around it write, in UCUM.
///
/// Source: `homeassistant/const.py` for the names, https://ucum.org/ucum for the others.
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

    /// - Returns: `nil` for a unit that is not known.
    static func ucum(_ unit: String) -> String? { table[unit] }
}
