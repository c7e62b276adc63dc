/// A number, a text, or true or false, as the value of a member whose type is not fixed.
public enum JSONScalar: Codable, Hashable, Sendable {
    /// `true` or `false`.
    case flag(Bool)
    /// A number.
    case number(Double)
    /// A text.
    case text(String)

    /// - Throws: `DecodingError` for `null`, a list or an object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// Writes the value itself.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .flag(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        }
    }
}
