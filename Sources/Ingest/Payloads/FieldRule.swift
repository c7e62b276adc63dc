public import Samples
import Text

/// How what a device says becomes a value of a field.
public struct FieldRule: Hashable, Sendable {
    public let field: Field
    /// A number becomes `scale · x + offset`.
    public let scale: Double
    public let offset: Double
    /// A number beyond them, after scale and offset, becomes the nearer one; `nil` keeps it.
    public let limits: ClosedRange<Double>?
    /// What a device says, and which state that is; empty where it says the state itself.
    public let states: [String: String]

    /// What stands for a value that is not known; `nil` where there is no sample without one.
    public let unknown: Value?
    /// Where only changes count: a number that differs by no more from the one told before is none.
    public let margin: Double

    private static let longestText = 1024

    public init(
        _ field: Field, scale: Double = 1, offset: Double = 0,
        limits: ClosedRange<Double>? = nil, states: [String: String] = [:], unknown: Value? = nil,
        margin: Double = 0
    ) {
        (self.field, self.scale, self.offset) = (field, scale, offset)
        (self.limits, self.states) = (limits, states)
        (self.unknown, self.margin) = (unknown, margin)
    }

    /// Whether a value is to be told after another.
    func isChange(_ value: Value, from told: Value) -> Bool {
        guard margin > 0, let before = told.double, let now = value.double, told != unknown,
            value != unknown
        else { return value != told }
        return abs(now - before) > margin
    }

    /// - Returns: `nil` for what is no value of the field, such as a text where a number belongs, a number
    ///   that is not finite, or a state that is not known.
    public func value(of raw: Value) -> Value? {
        switch field.kind {
        case .number:
            return calibrated(raw).map { .number($0) }
        case .integer:
            // A double does not hold all of them.
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
        guard let number = Self.number(raw) else { return nil }
        let calibrated = scale * number + offset
        guard calibrated.isFinite else { return nil }
        guard let limits else { return calibrated }
        return min(max(calibrated, limits.lowerBound), limits.upperBound)
    }

    private static func number(_ raw: Value) -> Double? {
        switch raw {
        case .number(let number): number.isFinite ? number : nil
        case .integer(let integer): Double(integer)
        case .text(let text): Double(decimal: withoutPercentSign(text), allowsExponent: true)
        }
    }

    /// Devices write `97.7%`, whatever the unit of the field says besides.
    private static func withoutPercentSign(_ text: String) -> Substring {
        guard text.last == "%" else { return text[...] }
        var number = text.dropLast()
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
