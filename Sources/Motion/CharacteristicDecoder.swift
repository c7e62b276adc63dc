public import Samples
import Text

/// Decodes a characteristic of Bluetooth Low Energy, by the form that a sensor pack declares.
///
/// `u8`, `s8`, `u16`, `s16`, `u32` and `s32` are little-endian integers; with a divisor, such as
/// `s16/100`, they are fractions. `utf8` is text and `utf8-float` a decimal number as text, optionally
/// with a percent sign. `sfloat` and `float` are the types of IEEE 11073-20601 of 16 and 32 bits. `lock`
/// is a ``DoorState``. `heart-rate` (an integer, a minute), `heart-rate-contact` (`detected`, `missing` or
/// `unknown`), `heart-rate-energy` (kJ) and `heart-rate-intervals` (ms, any number of them) are parts of a
/// ``HeartRateMeasurement``.
///
/// ```swift
/// CharacteristicDecoder("s16/100")?.decode([0x34, 0x08])  // .number(21)
/// ```
public struct CharacteristicDecoder: Hashable, Sendable, CustomStringConvertible {
    private enum Form: Hashable {
        case whole(bytes: Int, isSigned: Bool), text, decimal, medical(Int), lock
        case heartRate, heartContact, heartEnergy, heartIntervals
    }

    /// The form, such as `s16/100`.
    public let description: String
    private let form: Form
    private let divisor: Double

    /// The largest value of a characteristic in bytes: Bluetooth Core Specification, volume 3, part F.
    public static let longest = 512

    /// Creates the decoder of a form.
    ///
    /// - Returns: `nil` for an unknown form, and for a divisor of zero or less.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count <= 2 else { return nil }
        let forms: [Substring: Form] = [
            "u8": .whole(bytes: 1, isSigned: false), "s8": .whole(bytes: 1, isSigned: true),
            "u16": .whole(bytes: 2, isSigned: false), "s16": .whole(bytes: 2, isSigned: true),
            "u32": .whole(bytes: 4, isSigned: false), "s32": .whole(bytes: 4, isSigned: true),
            "utf8": .text, "utf8-float": .decimal, "sfloat": .medical(2), "float": .medical(4),
            "lock": .lock, "heart-rate": .heartRate, "heart-rate-contact": .heartContact,
            "heart-rate-energy": .heartEnergy, "heart-rate-intervals": .heartIntervals,
        ]
        guard let form = forms[name] else { return nil }
        var divisor = 1.0
        if parts.count == 2 {
            guard case .whole = form, let number = Double(decimal: parts[1]), number > 0 else {
                return nil
            }
            divisor = number
        }
        (self.form, self.divisor, description) = (form, divisor, text)
    }

    /// The kind of field for the decoded values.
    public var kind: Field.Kind {
        switch form {
        case .whole: description.contains("/") ? .number : .integer
        case .text: .text
        case .decimal, .medical, .heartIntervals: .number
        case .lock, .heartContact: .state
        case .heartRate, .heartEnergy: .integer
        }
    }

    /// Whether one value of the characteristic may have several decoded values.
    public var isList: Bool { form == .heartIntervals }

    /// Decodes a value that may have none or several parts of this form.
    ///
    /// - Returns: the decoded values in the order of time; empty if the device left them out, and `nil`
    ///   where ``decode(_:)`` of bytes of another form is.
    public func values(of bytes: [UInt8]) -> [Value]? {
        switch form {
        case .heartRate, .heartContact, .heartEnergy, .heartIntervals:
            guard let measurement = HeartRateMeasurement(bytes) else { return nil }
            switch form {
            case .heartRate: return [.integer(Int64(measurement.rate))]
            case .heartContact: return [.text(measurement.contact.rawValue)]
            case .heartEnergy: return measurement.energy.map { [.integer(Int64($0))] } ?? []
            default: return measurement.intervals.map { .number($0) }
            }
        default: return decode(bytes).map { [$0] }
        }
    }

    /// Decodes a value.
    ///
    /// - Returns: `nil` for bytes of another form, for no bytes, for the special values that mean “no
    ///   number”, and for a part that the device left out. Of several values it is the last.
    public func decode(_ bytes: [UInt8]) -> Value? {
        guard (1...Self.longest).contains(bytes.count) else { return nil }
        switch form {
        case .text: return String(validating: bytes, as: UTF8.self).map { .text($0) }
        case .decimal:
            guard var text = String(validating: bytes, as: UTF8.self)?[...] else { return nil }
            while text.last == " " || text.last == "%" || text.last == "\0" { text.removeLast() }
            return Double(decimal: text.drop { $0 == " " }).map { .number($0) }
        case .whole(let count, let isSigned):
            guard bytes.count == count else { return nil }
            let whole = Self.whole(bytes, isSigned: isSigned)
            return kind == .integer ? .integer(whole) : .number(Double(whole) / divisor)
        case .lock: return DoorState(bytes: bytes).map { .text($0.rawValue) }
        case .heartRate, .heartContact, .heartEnergy, .heartIntervals:
            return values(of: bytes)?.last
        case .medical(let count):
            guard bytes.count == count else { return nil }
            return Self.medical(Self.whole(bytes, isSigned: false), bits: count * 8)
        }
    }

    private static func whole(_ bytes: [UInt8], isSigned: Bool) -> Int64 {
        let bits = bytes.reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let sign = Int64(1) << (bytes.count * 8 - 1)
        return isSigned && bits >= sign ? bits - 2 * sign : bits
    }

    /// The upper four or eight bits are the decimal exponent.
    private static func medical(_ bits: Int64, bits width: Int) -> Value? {
        let exponentBits = width == 16 ? 4 : 8
        let mantissaBits = width - exponentBits
        var mantissa = bits & (1 << mantissaBits - 1)
        var exponent = bits >> mantissaBits
        if exponent >= 1 << (exponentBits - 1) { exponent -= 1 << exponentBits }
        let half = Int64(1) << (mantissaBits - 1)
        // NaN, NRes, the infinities and the reserved value.
        if exponent == 0, (half - 2...half + 2).contains(mantissa) { return nil }
        if mantissa >= half { mantissa -= 2 * half }
        var scale = 1.0
        for _ in 0..<abs(exponent) { scale *= 10 }
        let number = exponent < 0 ? Double(mantissa) / scale : Double(mantissa) * scale
        return .number(number)
    }
}

extension DoorState {
    /// Decodes the value of a lock: the byte 1 and the text `1` mean locked, anything else unlocked.
    ///
    /// - Returns: `nil` for no bytes, and for bytes that are not UTF-8.
    public init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= CharacteristicDecoder.longest,
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        self = bytes == [1] || text == "1" ? .locked : .unlocked
    }
}

/// The state of a lock.
public enum DoorState: String, Hashable, Sendable, CaseIterable, Codable {
    /// Locked.
    case locked
    /// Unlocked.
    case unlocked
}
