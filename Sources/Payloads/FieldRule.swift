import Derived
public import Samples

/// How what a device says becomes a value of a field.
public struct FieldRule: Hashable, Sendable {
    public let field: Field
    /// A number becomes `scale · x + offset`.
    public let scale: Double
    public let offset: Double
    /// What a device says, and which state that is; empty where it says the state itself.
    public let states: [String: String]

    private static let longestText = 1024

    public init(
        _ field: Field, scale: Double = 1, offset: Double = 0, states: [String: String] = [:]
    ) {
        (self.field, self.scale, self.offset, self.states) = (field, scale, offset, states)
    }

    /// - Returns: `nil` for what is no value of the field, such as a text where a number belongs, a number
    ///   that is not finite, or a state that is not known.
    public func value(of raw: Value) -> Value? {
        switch field.kind {
        case .number:
            guard let number = Self.number(raw) else { return nil }
            let calibrated = scale * number + offset
            return calibrated.isFinite ? .number(calibrated) : nil
        case .integer:
            if scale == 1, offset == 0 {
                if case .integer = raw { return raw }
                if case .text(let text) = raw, let whole = Int64(text) { return .integer(whole) }
            }
            guard let number = Self.number(raw),
                let whole = Int64(exactly: (scale * number + offset).rounded())
            else { return nil }
            return .integer(whole)
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

    private static func number(_ raw: Value) -> Double? {
        switch raw {
        case .number(let number): number.isFinite ? number : nil
        case .integer(let integer): Double(integer)
        case .text(let text): Double(decimal: text, allowsExponent: true)
        }
    }

    private static func text(_ raw: Value) -> String {
        switch raw {
        case .number(let number): "\(number)"
        case .integer(let integer): "\(integer)"
        case .text(let text): text
        }
    }
}
