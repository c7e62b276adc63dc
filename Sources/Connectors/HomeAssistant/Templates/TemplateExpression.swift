import Glibc

/// An expression of a template.
///
/// There are no loops and no recursion, so the steps of an evaluation are bounded by the number of
/// nodes, which ``TemplateParser`` limits.
indirect enum TemplateExpression: Hashable, Sendable {
    case literal(TemplateValue)
    case variable(String)
    case member(TemplateExpression, TemplateExpression)
    case slice(TemplateExpression, TemplateExpression?, TemplateExpression?)
    case list([TemplateExpression])
    case object([Pair])
    case negative(TemplateExpression)
    case arithmetic(Arithmetic, TemplateExpression, TemplateExpression)
    case concatenation(TemplateExpression, TemplateExpression)
    case not(TemplateExpression)
    case and(TemplateExpression, TemplateExpression)
    case or(TemplateExpression, TemplateExpression)
    case comparison(TemplateExpression, [Comparison])
    case conditional(TemplateExpression, if: TemplateExpression, else: TemplateExpression?)
    case call(TemplateFunction, [TemplateExpression?])
    case test(TemplateTest, TemplateExpression, [TemplateExpression])

    struct Pair: Hashable, Sendable {
        let key: TemplateExpression
        let value: TemplateExpression
    }

    struct Comparison: Hashable, Sendable {
        enum Relation: String {
            case equal = "=="
            case unequal = "!="
            case less = "<"
            case greater = ">"
            case atMost = "<="
            case atLeast = ">="
            case contained = "in"
            case notContained = "not in"
        }

        let relation: Relation
        let other: TemplateExpression
    }

    enum Arithmetic: String {
        case plus = "+"
        case minus = "-"
        case times = "*"
        case divided = "/"
        case floorDivided = "//"
        case modulo = "%"
        case power = "**"
    }

    /// Evaluates the expression.
    ///
    /// - Parameter variables: the values by name; a missing one is undefined.
    /// - Throws: ``TemplateFailure``.
    func value(_ variables: [String: TemplateValue]) throws(TemplateFailure) -> TemplateValue {
        switch self {
        case .literal(let value): return value
        case .variable(let name): return variables[name] ?? .undefined
        case .member(let base, let key):
            return try base.value(variables).member(try key.value(variables))
        case .slice(let base, let from, let to):
            return try base.value(variables).slice(
                try Self.index(from, variables), try Self.index(to, variables))
        case .list(let items):
            var values: [TemplateValue] = []
            for item in items { values.append(try item.value(variables)) }
            return .list(values)
        case .object(let pairs):
            var members: [TemplateValue.Member] = []
            for pair in pairs {
                members.append(
                    TemplateValue.Member(
                        key: try pair.key.value(variables), value: try pair.value.value(variables)))
            }
            return .object(members)
        case .negative(let operand):
            guard let number = try operand.value(variables).number else { throw .operand }
            if case .integer(let integer) = number, integer != .min { return .integer(-integer) }
            return .float(-number.double)
        case .arithmetic(let operation, let left, let right):
            return try operation.apply(try left.value(variables), try right.value(variables))
        case .concatenation(let left, let right):
            let text = try left.value(variables).printed() + right.value(variables).printed()
            return try .text(TemplateFunction.limited(text))
        case .not(let operand): return .bool(!(try operand.value(variables).isTrue))
        case .and(let left, let right):
            let value = try left.value(variables)
            return value.isTrue ? try right.value(variables) : value
        case .or(let left, let right):
            let value = try left.value(variables)
            return value.isTrue ? value : try right.value(variables)
        case .comparison(let first, let rest):
            var left = try first.value(variables)
            for comparison in rest {
                let right = try comparison.other.value(variables)
                guard try comparison.relation.holds(left, right) else { return .bool(false) }
                left = right
            }
            return .bool(true)
        case .conditional(let value, let condition, let other):
            if try condition.value(variables).isTrue { return try value.value(variables) }
            return try other?.value(variables) ?? .undefined
        case .call(let function, let arguments):
            var values: [TemplateValue?] = []
            for argument in arguments { values.append(try argument?.value(variables)) }
            return try function.apply(values)
        case .test(let test, let operand, let arguments):
            var values: [TemplateValue] = []
            for argument in arguments { values.append(try argument.value(variables)) }
            return .bool(try test.holds(try operand.value(variables), values))
        }
    }

    private static func index(
        _ expression: TemplateExpression?, _ variables: [String: TemplateValue]
    ) throws(TemplateFailure) -> Int64? {
        guard let value = try expression?.value(variables) else { return nil }
        switch value {
        case .integer(let index): return index
        case .none: return nil
        default: throw .operand
        }
    }
}

extension TemplateExpression.Comparison.Relation {
    fileprivate func holds(
        _ left: TemplateValue, _ right: TemplateValue
    ) throws(TemplateFailure) -> Bool {
        switch self {
        case .equal: left.equals(right)
        case .unequal: !left.equals(right)
        case .less: try left.order(right) == -1
        case .greater: try left.order(right) == 1
        case .atMost: try left.order(right).map { $0 <= 0 } ?? false
        case .atLeast: try left.order(right).map { $0 >= 0 } ?? false
        case .contained: try right.contains(left)
        case .notContained: !(try right.contains(left))
        }
    }
}

extension TemplateExpression.Arithmetic {
    /// Calculates as Python does: `/` is never whole, `//` and `%` round down.
    fileprivate func apply(
        _ left: TemplateValue, _ right: TemplateValue
    ) throws(TemplateFailure) -> TemplateValue {
        if self == .plus, case .text(let first) = left, case .text(let second) = right {
            return try .text(TemplateFunction.limited(first + second))
        }
        guard let first = left.number, let second = right.number else { throw .operand }
        if self == .divided {
            guard second.double != 0 else { throw .divisionByZero }
            return .float(first.double / second.double)
        }
        if case .integer(let a) = first, case .integer(let b) = second,
            let whole = try whole(a, b)
        {
            return .integer(whole)
        }
        return .float(try real(first.double, second.double))
    }

    /// - Returns: `nil` if the result is not an integer of 64 bits.
    private func whole(_ a: Int64, _ b: Int64) throws(TemplateFailure) -> Int64? {
        switch self {
        case .plus: return Self.checked(a.addingReportingOverflow(b))
        case .minus: return Self.checked(a.subtractingReportingOverflow(b))
        case .times: return Self.checked(a.multipliedReportingOverflow(by: b))
        case .floorDivided, .modulo:
            guard b != 0 else { throw .divisionByZero }
            guard b != -1 else {
                return self == .modulo
                    ? 0 : Self.checked((0 as Int64).subtractingReportingOverflow(a))
            }
            let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
            let isBelow = remainder != 0 && (remainder < 0) != (b < 0)
            if self == .modulo { return isBelow ? remainder + b : remainder }
            return isBelow ? quotient - 1 : quotient
        case .power:
            guard (0...62).contains(b) else { return nil }
            var result: Int64 = 1
            for _ in 0..<b {
                guard let next = Self.checked(result.multipliedReportingOverflow(by: a)) else {
                    return nil
                }
                result = next
            }
            return result
        case .divided: return nil
        }
    }

    private func real(_ a: Double, _ b: Double) throws(TemplateFailure) -> Double {
        switch self {
        case .plus: return a + b
        case .minus: return a - b
        case .times: return a * b
        case .divided: return a / b
        case .floorDivided, .modulo:
            guard b != 0 else { throw .divisionByZero }
            let remainder = a.truncatingRemainder(dividingBy: b)
            let isBelow = remainder != 0 && (remainder < 0) != (b < 0)
            let modulo = isBelow ? remainder + b : remainder
            return self == .modulo ? modulo : ((a - modulo) / b).rounded()
        case .power:
            guard a != 0 || b >= 0 else { throw .divisionByZero }
            return pow(a, b)
        }
    }

    private static func checked(_ result: (partialValue: Int64, overflow: Bool)) -> Int64? {
        result.overflow ? nil : result.partialValue
    }
}
