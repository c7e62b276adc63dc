import Auth
import Foundation
import Samples
import Text

/// Formats numbers and times for display.
enum Format {
    /// A value and its unit, such as `12.5 %`, `1.2 GB`, `charging`.
    static func value(_ number: Double?, unit: String?) -> String {
        guard let number else { return "–" }
        switch unit {
        case "By": return bytes(number)
        case "By/s": return bytes(number) + "/s"
        case "Cel": return Self.number(number) + " °C"
        // Six decimals of a degree of latitude are about 0.1 m.
        case "deg": return Self.number(number, digits: 6) + " deg"
        case "1", nil: return Self.number(number)
        case "uT": return Self.number(number) + " µT"
        case let unit?:
            let isAnnotation = unit.hasPrefix("{")
            return Self.number(number) + (isAnnotation ? "" : " \(unit)")
        }
    }

    /// The number in decimal, without trailing zeros; by default with at most four digits after the point.
    ///
    /// - Parameter digits: the maximum number of digits after the point; by default fewer for greater
    ///   numbers.
    static func number(_ number: Double, digits: Int? = nil) -> String {
        if number == number.rounded(), number.magnitude < 1e15 { return String(Int64(number)) }
        let digits = digits ?? (number.magnitude >= 100 ? 1 : number.magnitude >= 1 ? 2 : 4)
        return number.formatted(
            .number.precision(.fractionLength(0...digits)).grouping(.never)
                .locale(Locale(identifier: "en_US_POSIX")))
    }

    /// The unit of a field as a word, for people who do not know UCUM; `nil` where a number has none.
    static func unitWord(_ unit: String?) -> String? {
        guard let unit, unit != "1" else { return nil }
        if let word = unitWords[unit] { return word }
        // An annotation such as `{process}` names what is counted.
        let plain = unit.filter { $0 != "{" && $0 != "}" }
        guard let slash = unit.firstIndex(of: "/"),
            let period = periods[String(unit[unit.index(after: slash)...])]
        else { return plain }
        let counted = String(unit[..<slash])
        if counted.isEmpty || counted == "1" { return "per \(period)" }
        if let word = unitWords[counted] { return "\(word) per \(period)" }
        return counted.hasPrefix("{") ? "\(counted.dropFirst().dropLast()) per \(period)" : plain
    }

    private static let unitWords = [
        "By": "bytes", "Cel": "degrees Celsius", "%": "percent", "deg": "degrees", "Hz": "hertz",
        "m": "metres", "s": "seconds", "ms": "milliseconds", "min": "minutes", "h": "hours",
        "d": "days", "V": "volts", "A": "amperes", "W": "watts", "lx": "lux", "Pa": "pascals",
        "hPa": "hectopascals", "uT": "microteslas", "J": "joules", "Wh": "watt hours",
        "dB": "decibels", "g": "grams", "kg": "kilograms",
    ]
    private static let periods = ["s": "second", "min": "minute", "h": "hour", "d": "day"]

    /// A share in percent, rounded down, so that only the whole is `100 %`.
    static func share(_ share: Double?) -> String {
        value(share.map { ($0 * 1000).rounded(.down) / 10 }, unit: "%")
    }

    /// The shortest text that parses to the same number, without `.0` for integers.
    static func exact(_ number: Double) -> String {
        Int64(exactly: number).map { String($0) } ?? "\(number)"
    }

    /// Bytes in SI units, powers of 1000.
    static func bytes(_ count: Double) -> String { count.byteCountText }

    /// `2026-03-01 12:00:00` in the local time zone.
    static func time(_ milliseconds: Double) -> String {
        let date = Date(timeIntervalSince1970: milliseconds / 1000)
        let style = Date.ISO8601FormatStyle(
            dateSeparator: .dash, dateTimeSeparator: .space, timeZone: .current)
        return String(date.formatted(style).prefix(19))
    }

    /// The age, such as `3 s ago`.
    static func age(_ milliseconds: Double?, now: Timestamp = .now()) -> String {
        guard let milliseconds else { return "never" }
        let seconds = max(0, (now.milliseconds - milliseconds) / 1000)
        switch seconds {
        case ..<120: return "\(Int(seconds)) s ago"
        case ..<7200: return "\(Int(seconds / 60)) min ago"
        case ..<172_800: return "\(Int(seconds / 3600)) h ago"
        default: return "\(Int(seconds / 86_400)) d ago"
        }
    }
}
