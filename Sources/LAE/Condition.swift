public import Samples

/// A condition on the fields of a sample, such as `busy>50` or `not (state=idle or load<1)`.
///
/// The grammar, which the API, the command line and rules share, is documented in `docs/api.md`.
///
/// ```swift
/// let condition = try Condition(parsing: "busy>50 and (core0>90 or core1>90)")
/// ```
public indirect enum Condition: Hashable, Sendable {
    /// One field meets a comparison.
    case comparison(FieldComparison)
    /// All conditions are met.
    case all([Condition])
    /// At least one condition is met.
    case any([Condition])
    /// The condition is not met.
    case not(Condition)

    /// Parses a condition on the fields of one sensor, whose names stand without the sensor.
    ///
    /// - Throws: `invalidCondition`, with the position of the error.
    public init(parsing text: String) throws(LAEError) {
        var parser = ConditionParser(text, isQualified: false)
        self = try parser.condition()
    }

    /// Parses a condition in which a sensor and a dot may precede each field, such as `cpu.busy>50`.
    ///
    /// - Throws: `invalidCondition`, with the position of the error.
    public init(parsingQualified text: String) throws(LAEError) {
        var parser = ConditionParser(text, isQualified: true)
        self = try parser.condition()
    }

    /// The conditions that must all be met, none of which has this form itself.
    var conjuncts: [Condition] {
        if case .all(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
    }

    /// All comparisons, in order.
    var comparisons: [FieldComparison] {
        switch self {
        case .comparison(let comparison): [comparison]
        case .all(let parts), .any(let parts): parts.flatMap(\.comparisons)
        case .not(let part): part.comparisons
        }
    }

    /// The condition with each sensor replaced by the one that it resolves to.
    func replacingSensors(_ resolved: [SensorID: SensorID]) -> Condition {
        switch self {
        case .comparison(var comparison):
            comparison.sensor = comparison.sensor.map { resolved[$0] ?? $0 }
            return .comparison(comparison)
        case .all(let parts): return .all(parts.map { $0.replacingSensors(resolved) })
        case .any(let parts): return .any(parts.map { $0.replacingSensors(resolved) })
        case .not(let part): return .not(part.replacingSensors(resolved))
        }
    }

    /// Returns the rows of a batch that meet a condition.
    typealias Matcher = @Sendable (StoredBatch) -> [Int]

    /// The condition as a function of samples with these fields.
    ///
    /// - Throws: `unknownField`, or `invalidCondition` when an operand does not fit its field.
    func matcher(for fields: [Field]) throws(LAEError) -> Matcher {
        let test = try test(for: fields)
        return { batch in
            let matches = test(batch)
            return matches.indices.filter { matches[$0] }
        }
    }

    /// Tells for each row of a batch whether it meets a condition.
    fileprivate typealias Test = @Sendable (StoredBatch) -> [Bool]

    private func test(for fields: [Field]) throws(LAEError) -> Test {
        switch self {
        case .comparison(let comparison): return try comparison.test(for: fields)
        case .not(let part):
            let test = try part.test(for: fields)
            return { test($0).map(!) }
        case .all(let parts): return try Self.joined(parts, fields) { $0 && $1 }
        case .any(let parts): return try Self.joined(parts, fields) { $0 || $1 }
        }
    }

    /// - Parameter parts: at least one.
    private static func joined(
        _ parts: [Condition], _ fields: [Field],
        _ join: @escaping @Sendable (Bool, Bool) -> Bool
    ) throws(LAEError) -> Test {
        var tests: [Test] = []
        for part in parts { tests.append(try part.test(for: fields)) }
        return { [tests] batch in
            var matches = tests[0](batch)
            for test in tests.dropFirst() {
                let others = test(batch)
                for row in matches.indices { matches[row] = join(matches[row], others[row]) }
            }
            return matches
        }
    }
}

/// A comparison of one field with an operand, such as `busy>50` or `state=charging`.
public struct FieldComparison: Hashable, Sendable {
    /// How a field is compared with the operand.
    public enum Operator: String, Hashable, Sendable, CaseIterable {
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

    /// `nil` when omitted, which is unambiguous for one sensor.
    public var sensor: SensorID?
    /// The name of the field.
    public let field: String
    /// How the field is compared with the operand.
    public let comparison: Operator
    /// A number, or the text that a state or text field is compared with.
    public let operand: String

    /// Creates a comparison, which need not fit a sensor.
    public init(
        sensor: SensorID? = nil, field: String, comparison: Operator, operand: String
    ) {
        self.sensor = sensor
        self.field = field
        self.comparison = comparison
        self.operand = operand
    }

    /// - Throws: `unknownField`, or `invalidCondition` when the operand does not fit the field.
    fileprivate func test(for fields: [Field]) throws(LAEError) -> Condition.Test {
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
                guard case .texts(let values) = batch.samples.columns[index] else {
                    return Array(repeating: false, count: batch.count)
                }
                return values.map { ($0 == operand) == (comparison == .equal) }
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
            case .numbers(let values): return Self.matches(values, comparison, number) { $0 }
            case .integers(let values):
                return if let integer {
                    Self.matches(values, comparison, integer) { $0 }
                } else {
                    Self.matches(values, comparison, number) { Double($0) }
                }
            case .texts: return Array(repeating: false, count: batch.count)
            }
        }
    }

    private static func matches<Number, Operand: Comparable>(
        _ values: [Number], _ comparison: Operator, _ number: Operand,
        _ convert: (Number) -> Operand
    ) -> [Bool] {
        values.map { value in
            let value = convert(value)
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
