public import Samples

/// A condition on one field of a sample, such as `busy>50` or `state=charging`.
public struct Condition: Hashable, Sendable {
    /// How a field is compared with the operand.
    public enum Comparison: String, Hashable, Sendable, CaseIterable {
        /// The field differs from the operand.
        case notEqual = "!="
        /// The field is greater than or equal to the operand.
        case atLeast = ">="
        /// The field is less than or equal to the operand.
        case atMost = "<="
        /// The field equals the operand.
        case equal = "="
        /// The field is greater than the operand.
        case above = ">"
        /// The field is less than the operand.
        case below = "<"
    }

    /// The name of the field.
    public let field: String
    /// How the field is compared with the operand.
    public let comparison: Comparison
    /// A number, or the text that a state or text field is compared with.
    public let operand: String

    /// Parses a field name, a comparison and an operand without quotes.
    ///
    /// ```swift
    /// let condition = try Condition(parsing: "busy>50")
    /// ```
    ///
    /// - Throws: `invalidCondition` when it cannot be parsed.
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

    /// Returns the rows of a batch that meet a condition.
    typealias Matcher = @Sendable (StoredBatch) -> [Int]

    /// The condition as a function of samples with these fields.
    ///
    /// - Throws: `unknownField`, or `invalidCondition` when the operand does not fit the field.
    func matcher(for fields: [Field]) throws(LAEError) -> Matcher {
        guard let index = fields.firstIndex(where: { $0.name == field }) else {
            throw LAEError(.unknownField, "The sensor has no field named \(field.prefix(80)).")
        }
        let (comparison, operand) = (comparison, operand)
        guard fields[index].kind.isNumeric else {
            guard comparison == .equal || comparison == .notEqual else {
                throw LAEError(
                    .invalidCondition, "\(field) contains text, which supports only = and !=.")
            }
            return { batch in
                guard case .texts(let values) = batch.samples.columns[index] else { return [] }
                return values.indices.filter {
                    (values[$0] == operand) == (comparison == .equal)
                }
            }
        }
        guard let number = Double(operand), number.isFinite else {
            throw LAEError(
                .invalidCondition,
                "\(field) is compared with a number, not with"
                    + " \(operand.prefix(80).debugDescription).")
        }
        // Above 2^53, a double represents several integers.
        let integer = Int64(operand)
        return { batch in
            switch batch.samples.columns[index] {
            case .numbers(let values): Self.rows(of: values, comparison, number) { $0 }
            case .integers(let values):
                if let integer {
                    Self.rows(of: values, comparison, integer) { $0 }
                } else {
                    Self.rows(of: values, comparison, number) { Double($0) }
                }
            case .texts: []
            }
        }
    }

    private static func rows<Number, Operand: Comparable>(
        of values: [Number], _ comparison: Comparison, _ number: Operand,
        _ convert: (Number) -> Operand
    ) -> [Int] {
        values.indices.filter { row in
            let value = convert(values[row])
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

/// A condition on the samples of one sensor, such as `cpu.busy>50`.
public struct FieldCondition: Hashable, Sendable {
    /// `nil` when omitted, which is unambiguous for one sensor.
    public let sensor: SensorID?
    /// The condition on a field of that sensor.
    public let condition: Condition

    init(sensor: SensorID?, condition: Condition) {
        self.sensor = sensor
        self.condition = condition
    }

    /// Parses a condition whose field may be preceded by a sensor and a dot.
    ///
    /// - Throws: `invalidCondition` when it cannot be parsed.
    public init(parsing text: String) throws(LAEError) {
        let end = text.firstIndex { "=!<>".contains($0) } ?? text.endIndex
        guard let dot = text[..<end].lastIndex(of: ".") else {
            sensor = nil
            condition = try Condition(parsing: text)
            return
        }
        guard let sensor = SensorID(String(text[..<dot])) else {
            throw LAEError(
                .invalidCondition, "Not a condition: \(text.prefix(80).debugDescription).",
                hint: "Write a field, one of = != < <= > >= and a value, such as cpu.busy>50")
        }
        self.sensor = sensor
        condition = try Condition(parsing: String(text[dot...].dropFirst()))
    }
}

/// A field of a sensor, written `sensor.field`: `cpu.busy`, `network.eth0.rxRate`.
public struct FieldReference: Hashable, Sendable, CustomStringConvertible {
    /// The sensor.
    public let sensor: SensorID
    /// The name of the field.
    public let field: String

    /// Refers to a field, which need not exist.
    public init(sensor: SensorID, field: String) {
        self.sensor = sensor
        self.field = field
    }

    /// Parses a sensor and a field, separated by the last dot.
    ///
    /// - Throws: `invalidAnalysis` when it cannot be parsed.
    public init(parsing text: String) throws(LAEError) {
        let end = text.lastIndex(of: ".") ?? text.startIndex
        let field = text[end...].dropFirst()
        guard let sensor = SensorID(String(text[..<end])), !field.isEmpty else {
            throw LAEError(
                .invalidAnalysis, "Not a field: \(text.prefix(80).debugDescription).",
                hint: "Write a sensor, a dot and one of its fields, such as cpu.busy")
        }
        self.init(sensor: sensor, field: String(field))
    }

    public var description: String { "\(sensor).\(field)" }
}
