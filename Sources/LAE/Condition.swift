import Samples

/// A condition on one field of a sample, such as `busy>50` or `state=charging`.
public struct Condition: Hashable, Sendable {
    public enum Comparison: String, Hashable, Sendable, CaseIterable {
        case notEqual = "!="
        case atLeast = ">="
        case atMost = "<="
        case equal = "="
        case above = ">"
        case below = "<"
    }

    public let field: String
    public let comparison: Comparison
    /// A number, or the text that a state or text field is compared with.
    public let operand: String

    /// Reads a field name, a comparison and an operand without quotes.
    ///
    /// - Throws: `invalidCondition` when it has not that shape.
    public init(parsing text: String) throws(LAEError) {
        let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        let rest = text.dropFirst(name.count)
        let found = Comparison.allCases.first { rest.hasPrefix($0.rawValue) }
        guard !name.isEmpty, let found, rest.count > found.rawValue.count else {
            throw LAEError(
                .invalidCondition, "Not a condition: \(text.prefix(80).debugDescription).",
                hint: "Write a field, one of = != < <= > >= and a value, such as busy>50")
        }
        field = String(name)
        comparison = found
        operand = String(rest.dropFirst(found.rawValue.count))
    }

    /// The condition as a function of a sample's values.
    ///
    /// - Throws: `unknownField`, or `invalidCondition` when the operand does not suit the field.
    func matcher(for fields: [Field]) throws(LAEError) -> @Sendable ([Value]) -> Bool {
        guard let index = fields.firstIndex(where: { $0.name == field }) else {
            throw LAEError(.unknownField, "The sensor has no field named \(field.prefix(80)).")
        }
        let (comparison, operand) = (comparison, operand)
        guard fields[index].kind.isNumeric else {
            guard comparison == .equal || comparison == .notEqual else {
                throw LAEError(
                    .invalidCondition, "\(field) holds text, which is only = or != to a value.")
            }
            return { ($0[index] == .text(operand)) == (comparison == .equal) }
        }
        guard let number = Double(operand), number.isFinite else {
            throw LAEError(
                .invalidCondition,
                "\(field) is compared with a number, not with"
                    + " \(operand.prefix(80).debugDescription).")
        }
        return { values in
            guard let value = values[index].double else { return false }
            return switch comparison {
            case .equal: value == number
            case .notEqual: value != number
            case .above: value > number
            case .atLeast: value >= number
            case .below: value < number
            case .atMost: value <= number
            }
        }
    }
}
