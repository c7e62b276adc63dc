public import Samples
import Text

/// How a raw value from a device is converted to a value of a field.
public struct FieldRule: Hashable, Sendable {
    /// The field the value is stored in.
    public let field: Field
    /// A number x becomes `scale · x + offset`.
    public let scale: Double
    /// Added after scaling.
    public let offset: Double
    /// Numbers are clamped to these limits after scaling; `nil` for no limits.
    public let limits: ClosedRange<Double>?
    /// States by the texts a device sends; empty if it sends the states themselves.
    public let states: [String: String]

    /// The substitute for a missing value; `nil` if samples require a value.
    public let unknown: Value?
    /// The number by which a device says that it does not know the value, after scaling: it counts as a missing
    /// one; `nil` for none.
    private let sentinel: Double?
    /// What may follow a number in a text, without the percent sign, which always may.
    private let units: Set<String>
    /// The largest difference between two numbers that ``SampleMaker`` does not count as a change.
    public let margin: Double

    private static let longestText = 1024

    /// Creates a rule for `field`; by default values are stored unchanged.
    ///
    /// - Parameters:
    ///   - suffix: a unit that devices write after the number, besides that of the field. A number with any other
    ///     text after it is refused, since it may be in another unit.
    ///   - sentinel: the number by which a device says that it does not know the value, after scaling; `nil` for
    ///     `unknown`, if that is a number.
    public init(
        _ field: Field, scale: Double = 1, offset: Double = 0,
        limits: ClosedRange<Double>? = nil, states: [String: String] = [:], unknown: Value? = nil,
        margin: Double = 0, suffix: String? = nil, sentinel: Double? = nil
    ) {
        (self.field, self.scale, self.offset) = (field, scale, offset)
        (self.limits, self.states) = (limits, states)
        (self.unknown, self.margin) = (unknown, margin)
        self.sentinel = sentinel ?? unknown?.double
        units = Self.units(of: field).union(suffix.map { [$0] } ?? [])
    }

    /// How devices write the unit of a field: as UCUM does, without its brackets, or with a degree sign.
    private static func units(of field: Field) -> Set<String> {
        guard let unit = field.unit else { return [] }
        var units: Set = [unit]
        if unit.hasPrefix("["), unit.hasSuffix("]") {
            units.insert(String(unit.dropFirst().dropLast()))
        }
        switch unit {
        case "Cel": units.formUnion(["C", "\u{B0}C", "\u{2103}"])
        case "[degF]": units.formUnion(["F", "\u{B0}F", "\u{2109}"])
        case "deg": units.insert("\u{B0}")
        default: break
        }
        return units
    }

    /// Whether a value differs enough from the last one to be reported.
    func isChange(_ value: Value, from previous: Value) -> Bool {
        guard margin > 0, let before = previous.double, let now = value.double, previous != unknown,
            value != unknown
        else { return value != previous }
        return abs(now - before) > margin
    }

    /// Whether a device says with a raw value that it does not know it, such as a charge of -1 %.
    func isMissing(_ raw: Value) -> Bool {
        guard let sentinel, field.kind.isNumeric, let number = number(raw) else { return false }
        return scale * number + offset == sentinel
    }

    /// Converts a raw value.
    ///
    /// - Returns: `nil` if the field cannot store it, such as a text for a number, a number that is
    ///   not finite, or an unknown state.
    public func value(of raw: Value) -> Value? {
        switch field.kind {
        case .number:
            return calibrated(raw).map { .number($0) }
        case .integer:
            // A double cannot represent every 64-bit integer.
            if scale == 1, offset == 0, limits == nil {
                if case .integer = raw { return raw }
                if case .text(let text) = raw, let whole = Int64(text) { return .integer(whole) }
            }
            return calibrated(raw).flatMap { Int64(exactly: $0.rounded()) }.map { .integer($0) }
        case .state:
            let text = Self.text(raw)
            guard let state = states.isEmpty ? text : states[text], !state.isEmpty,
                state.utf8.count <= 64
            else { return nil }
            return .text(state)
        case .text:
            let text = Self.text(raw)
            return text.utf8.count <= Self.longestText ? .text(text) : nil
        }
    }

    private func calibrated(_ raw: Value) -> Double? {
        guard let number = number(raw) else { return nil }
        let calibrated = scale * number + offset
        guard calibrated.isFinite else { return nil }
        guard let limits else { return calibrated }
        return min(max(calibrated, limits.lowerBound), limits.upperBound)
    }

    private func number(_ raw: Value) -> Double? {
        switch raw {
        case .number(let number): number.isFinite ? number : nil
        case .integer(let integer): Double(integer)
        case .text(let text): Double(decimal: withoutUnit(text), allowsExponent: true)
        }
    }

    /// Some devices send a unit with the number: `97.7%`, `612 ppm`.
    private func withoutUnit(_ text: String) -> Substring {
        var number = text[...]
        if text.last == "%" {
            number = text.dropLast()
        } else if let last = text.last, !last.isNumber {
            // Of `C` and `°C` the longer one.
            let unit = units.filter(text.hasSuffix).max { $0.count < $1.count }
            number = text.dropLast(unit?.count ?? 0)
        }
        while number.last == " " { number.removeLast() }
        return number
    }

    private static func text(_ raw: Value) -> String {
        switch raw {
        case .number(let number): "\(number)"
        case .integer(let integer): "\(integer)"
        case .text(let text): text
        }
    }
}

/// How the time of a payload is read.
public struct TimeRule: Hashable, Sendable {
    /// The representation of a time.
    public enum Form: String, Hashable, Sendable, CaseIterable {
        /// Seconds, milliseconds, microseconds or nanoseconds since 1970, with or without a
        /// fraction.
        case s, ms, us, ns
        /// RFC 3339.
        case rfc3339
    }

    /// How far in the future a time may be, in microseconds: one minute.
    public static let tolerance: Int64 = 60_000_000
    /// 2000-01-01: earlier times come from clocks that were never set.
    public static let earliest = Timestamp(microseconds: 946_684_800_000_000)

    /// The name of the time in the payload format.
    public let name: String
    /// The representation of the time.
    public let form: Form

    /// Creates a rule.
    public init(_ name: String, form: Form) {
        (self.name, self.form) = (name, form)
    }

    /// The time a value represents, to the microsecond, or `nil` if it is not a time.
    func moment(_ value: Value) -> Timestamp? {
        if form == .rfc3339 {
            guard case .text(let text) = value else { return nil }
            return Timestamp(rfc3339: text)
        }
        switch value {
        case .integer(let count): return moment(whole: count)
        case .number(let number): return moment(fraction: number)
        case .text(let text):
            if let whole = Int64(text) { return moment(whole: whole) }
            return Double(decimal: text, allowsExponent: true).flatMap(moment(fraction:))
        }
    }

    /// Whether a time is plausible for a payload received at `arrival`.
    static func isPlausible(_ moment: Timestamp, at arrival: Timestamp) -> Bool {
        moment >= earliest && moment <= arrival.advanced(byMicroseconds: tolerance)
    }

    private func moment(whole count: Int64) -> Timestamp? {
        let (factor, divisor): (Int64, Int64) =
            switch form {
            case .s: (1_000_000, 1)
            case .ms: (1000, 1)
            case .us: (1, 1)
            case .ns, .rfc3339: (1, 1000)
            }
        let (scaled, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : Timestamp(microseconds: scaled / divisor)
    }

    private func moment(fraction number: Double) -> Timestamp? {
        let milliseconds =
            switch form {
            case .s: number * 1000
            case .ms: number
            case .us: number / 1000
            case .ns, .rfc3339: number / 1_000_000
            }
        return Timestamp(milliseconds: milliseconds)
    }
}
