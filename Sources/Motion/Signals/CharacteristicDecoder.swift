public import Samples
import Text

/// How the bytes of a characteristic of Bluetooth LE become a value, as a sensor's description says.
///
/// `u8`, `s8`, `u16`, `s16`, `u32` and `s32` are whole numbers with the low byte first; with a divisor,
/// such as `s16/100`, they are fractions. `utf8` is text and `utf8-float` a decimal number in text, also
/// with a percent sign. `sfloat` and `float` are those of IEEE 11073-20601, of 16 and 32 bits. `lock` is the
/// state of a door as ``DoorState`` reads it.
public struct CharacteristicDecoder: Hashable, Sendable, CustomStringConvertible {
    private enum Form: Hashable {
        case whole(bytes: Int, isSigned: Bool), text, decimal, medical(Int), lock
    }

    public let description: String
    private let form: Form
    private let divisor: Double

    /// The longest value of a characteristic, in bytes: Bluetooth Core Specification, volume 3, part F.
    public static let longest = 512

    /// - Returns: `nil` for a form that is not known, and for a divisor that is not above zero.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count <= 2 else { return nil }
        let forms: [Substring: Form] = [
            "u8": .whole(bytes: 1, isSigned: false), "s8": .whole(bytes: 1, isSigned: true),
            "u16": .whole(bytes: 2, isSigned: false), "s16": .whole(bytes: 2, isSigned: true),
            "u32": .whole(bytes: 4, isSigned: false), "s32": .whole(bytes: 4, isSigned: true),
            "utf8": .text, "utf8-float": .decimal, "sfloat": .medical(2), "float": .medical(4),
            "lock": .lock,
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

    /// The kind of field that holds what it makes.
    public var kind: Field.Kind {
        switch form {
        case .whole: description.contains("/") ? .number : .integer
        case .text: .text
        case .decimal, .medical: .number
        case .lock: .state
        }
    }

    /// - Returns: `nil` for bytes that are not of this form, also for none, and for numbers that stand
    ///   for no number.
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

    /// The exponent to ten stands in the upper four or eight bits.
    private static func medical(_ bits: Int64, bits width: Int) -> Value? {
        let exponentBits = width == 16 ? 4 : 8
        let mantissaBits = width - exponentBits
        var mantissa = bits & (1 << mantissaBits - 1)
        var exponent = bits >> mantissaBits
        if exponent >= 1 << (exponentBits - 1) { exponent -= 1 << exponentBits }
        let half = Int64(1) << (mantissaBits - 1)
        // Not a number, not at this resolution, infinite, and reserved.
        if exponent == 0, (half - 2...half + 2).contains(mantissa) { return nil }
        if mantissa >= half { mantissa -= 2 * half }
        var scale = 1.0
        for _ in 0..<abs(exponent) { scale *= 10 }
        let number = exponent < 0 ? Double(mantissa) / scale : Double(mantissa) * scale
        return .number(number)
    }
}

extension DoorState {
    /// What a lock sends: the byte 1 or the text `1` is locked, other bytes and texts are not.
    ///
    /// - Returns: `nil` for no bytes, and for what is no text.
    public init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= CharacteristicDecoder.longest,
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        self = bytes == [1] || text == "1" ? .locked : .unlocked
    }
}
