/// What one field of one sample holds.
public enum Value: Hashable, Sendable {
    case number(Double)
    case integer(Int64)
    /// A state's name or free text.
    case text(String)

    /// The value as a double, integers beyond ±2^53 rounded; `nil` for text.
    public var double: Double? {
        switch self {
        case .number(let number): number
        case .integer(let integer): Double(integer)
        case .text: nil
        }
    }

    /// Whether a field of `kind` can hold this value; a number must be finite.
    public func fits(_ kind: Field.Kind) -> Bool {
        switch (self, kind) {
        case (.number(let number), .number): number.isFinite
        case (.integer, .integer): true
        case (.text, .state), (.text, .text): true
        default: false
        }
    }
}
