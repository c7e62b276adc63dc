import Ingest
import Text

/// Parses an expression of a template, with the precedence of Jinja.
///
/// Source: https://jinja.palletsprojects.com/en/stable/templates/#expressions
struct TemplateParser {
    private static let deepest = 24
    private static let reserved: Set<String> = [
        "and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False",
        "None",
    ]

    /// The remaining number of nodes.
    private(set) var budget: Int
    private let tokens: [TemplateToken]
    private let variables: Set<String>
    private var position = 0
    private var depth = 0

    /// - Parameters:
    ///   - variables: the names of the values that the expression may use.
    ///   - budget: the maximum number of nodes.
    init(_ tokens: [TemplateToken], variables: Set<String>, budget: Int) {
        (self.tokens, self.variables, self.budget) = (tokens, variables, budget)
    }

    /// Parses all tokens.
    ///
    /// - Throws: ``PayloadError`` that names what is not supported.
    mutating func expression() throws(PayloadError) -> TemplateExpression {
        let expression = try conditional()
        guard position == tokens.count else { throw unexpected }
        return expression
    }

    // MARK: - Operators, the weakest first

    private mutating func conditional() throws(PayloadError) -> TemplateExpression {
        guard depth < Self.deepest else { throw PayloadError("it is nested too deeply") }
        depth += 1
        defer { depth -= 1 }
        var value = try or()
        while take(name: "if") {
            let condition = try or()
            let other = take(name: "else") ? try conditional() : nil
            value = try node(.conditional(value, if: condition, else: other))
        }
        return value
    }

    private mutating func or() throws(PayloadError) -> TemplateExpression {
        var left = try and()
        while take(name: "or") { left = try node(.or(left, try and())) }
        return left
    }

    private mutating func and() throws(PayloadError) -> TemplateExpression {
        var left = try not()
        while take(name: "and") { left = try node(.and(left, try not())) }
        return left
    }

    private mutating func not() throws(PayloadError) -> TemplateExpression {
        var count = 0
        while take(name: "not") { count += 1 }
        var value = try comparison()
        for _ in 0..<count { value = try node(.not(value)) }
        return value
    }

    private mutating func comparison() throws(PayloadError) -> TemplateExpression {
        let first = try sum()
        var rest: [TemplateExpression.Comparison] = []
        while let relation = relation() {
            rest.append(TemplateExpression.Comparison(relation: relation, other: try sum()))
        }
        return rest.isEmpty ? first : try node(.comparison(first, rest))
    }

    private mutating func relation() -> TemplateExpression.Comparison.Relation? {
        if take(name: "in") { return .contained }
        if peek == .name("not"), tokens.dropFirst(position + 1).first == .name("in") {
            position += 2
            return .notContained
        }
        guard case .symbol(let symbol)? = peek,
            let relation = TemplateExpression.Comparison.Relation(rawValue: symbol)
        else { return nil }
        position += 1
        return relation
    }

    private mutating func sum() throws(PayloadError) -> TemplateExpression {
        var left = try concatenation()
        while let operation = operation(["+", "-"]) {
            left = try node(.arithmetic(operation, left, try concatenation()))
        }
        return left
    }

    private mutating func concatenation() throws(PayloadError) -> TemplateExpression {
        var left = try product()
        while take("~") { left = try node(.concatenation(left, try product())) }
        return left
    }

    private mutating func product() throws(PayloadError) -> TemplateExpression {
        var left = try power()
        while let operation = operation(["*", "/", "//", "%"]) {
            left = try node(.arithmetic(operation, left, try power()))
        }
        return left
    }

    private mutating func power() throws(PayloadError) -> TemplateExpression {
        var left = try unary()
        while take("**") { left = try node(.arithmetic(.power, left, try unary())) }
        return left
    }

    private mutating func operation(_ symbols: [String]) -> TemplateExpression.Arithmetic? {
        guard case .symbol(let symbol)? = peek, symbols.contains(symbol) else { return nil }
        position += 1
        return TemplateExpression.Arithmetic(rawValue: symbol)
    }

    /// Filters and tests bind more tightly than the operators between two values, and a sign more
    /// tightly than filters.
    private mutating func unary() throws(PayloadError) -> TemplateExpression {
        var isNegative = false
        while case .symbol(let sign)? = peek, sign == "-" || sign == "+" {
            position += 1
            if sign == "-" { isNegative.toggle() }
        }
        var value = try members(of: try primary())
        if isNegative { value = try node(.negative(value)) }
        while true {
            if take("|") {
                value = try filter(value)
            } else if take(name: "is") {
                value = try test(value)
            } else {
                return value
            }
        }
    }

    // MARK: - Values

    private mutating func primary() throws(PayloadError) -> TemplateExpression {
        guard let token = peek else { throw unexpected }
        position += 1
        switch token {
        case .integer(let integer): return try node(.literal(.integer(integer)))
        case .float(let number): return try node(.literal(.float(number)))
        case .text(let text): return try node(.literal(.text(text)))
        case .name("true"), .name("True"): return try node(.literal(.bool(true)))
        case .name("false"), .name("False"): return try node(.literal(.bool(false)))
        case .name("none"), .name("None"): return try node(.literal(.none))
        case .name(let name): return try variable(name)
        case .symbol("("):
            let value = try conditional()
            try require(")")
            return value
        case .symbol("["):
            var items: [TemplateExpression] = []
            while !take("]") {
                items.append(try conditional())
                if !take(",") {
                    try require("]")
                    break
                }
            }
            return try node(.list(items))
        case .symbol("{"): return try object()
        case .symbol:
            position -= 1
            throw unexpected
        }
    }

    private mutating func object() throws(PayloadError) -> TemplateExpression {
        var pairs: [TemplateExpression.Pair] = []
        while !take("}") {
            let key = try conditional()
            try require(":")
            pairs.append(TemplateExpression.Pair(key: key, value: try conditional()))
            if !take(",") {
                try require("}")
                break
            }
        }
        return try node(.object(pairs))
    }

    private mutating func variable(_ name: String) throws(PayloadError) -> TemplateExpression {
        guard !Self.reserved.contains(name) else {
            position -= 1
            throw unexpected
        }
        if peek == .symbol("(") {
            guard let function = TemplateFunction.function(name) else {
                throw Self.unsupported("the function", name)
            }
            return try call(function, on: nil)
        }
        guard variables.contains(name) else { throw Self.unsupported("the variable", name) }
        return try node(.variable(name))
    }

    private mutating func members(
        of base: TemplateExpression
    ) throws(PayloadError) -> TemplateExpression {
        var value = base
        while true {
            if take(".") {
                switch peek {
                case .name(let name)?:
                    position += 1
                    if peek == .symbol("(") {
                        guard let method = TemplateFunction.method(name) else {
                            throw Self.unsupported("the method", name)
                        }
                        value = try call(method, on: value)
                    } else {
                        value = try node(.member(value, .literal(.text(name))))
                    }
                case .integer(let index)?:
                    position += 1
                    value = try node(.member(value, .literal(.integer(index))))
                default: throw unexpected
                }
            } else if take("[") {
                let from = peek == .symbol(":") ? nil : try conditional()
                if take(":") {
                    let to = peek == .symbol("]") ? nil : try conditional()
                    value = try node(.slice(value, from, to))
                } else if let from {
                    value = try node(.member(value, from))
                }
                try require("]")
            } else {
                return value
            }
        }
    }

    private mutating func filter(
        _ operand: TemplateExpression
    ) throws(PayloadError) -> TemplateExpression {
        guard case .name(let name)? = peek else { throw unexpected }
        guard let function = TemplateFunction.filter(name) else {
            throw Self.unsupported("the filter", name)
        }
        position += 1
        guard peek == .symbol("(") else { return try node(.call(function, [operand])) }
        return try call(function, on: operand)
    }

    private mutating func call(
        _ function: TemplateFunction, on operand: TemplateExpression?
    ) throws(PayloadError) -> TemplateExpression {
        try require("(")
        var arguments: [TemplateExpression?] = operand.map { [$0] } ?? []
        while !take(")") {
            if case .name(let name)? = peek, tokens.dropFirst(position + 1).first == .symbol("=") {
                guard let index = function.parameters.firstIndex(of: name) else {
                    throw Self.unsupported("the argument", name)
                }
                position += 2
                while arguments.count < index + 2 { arguments.append(nil) }
                arguments[index + 1] = try conditional()
            } else {
                arguments.append(try conditional())
            }
            if !take(",") {
                try require(")")
                break
            }
        }
        guard (1...function.parameters.count + 1).contains(arguments.count) else {
            throw PayloadError(
                "\(function.rawValue) has \(arguments.count) arguments, which is not supported")
        }
        return try node(.call(function, arguments))
    }

    private mutating func test(
        _ operand: TemplateExpression
    ) throws(PayloadError) -> TemplateExpression {
        let isNegated = take(name: "not")
        guard case .name(let name)? = peek else { throw unexpected }
        guard let test = TemplateTest(name: name.lowercased()) else {
            throw Self.unsupported("the test", name)
        }
        position += 1
        var arguments: [TemplateExpression] = []
        if test.arity == 1 {
            if take("(") {
                arguments.append(try conditional())
                try require(")")
            } else {
                arguments.append(try members(of: try primary()))
            }
        }
        let value = try node(.test(test, operand, arguments))
        return isNegated ? try node(.not(value)) : value
    }

    // MARK: - Tokens

    private var peek: TemplateToken? { position < tokens.count ? tokens[position] : nil }

    private mutating func take(_ symbol: String) -> Bool {
        guard peek == .symbol(symbol) else { return false }
        position += 1
        return true
    }

    private mutating func take(name: String) -> Bool {
        guard peek == .name(name) else { return false }
        position += 1
        return true
    }

    private mutating func require(_ symbol: String) throws(PayloadError) {
        guard take(symbol) else { throw unexpected }
    }

    private mutating func node(
        _ expression: TemplateExpression
    ) throws(PayloadError) -> TemplateExpression {
        guard budget > 0 else { throw PayloadError("it is too long") }
        budget -= 1
        return expression
    }

    private var unexpected: PayloadError {
        let shown =
            switch peek {
            case nil: "an unexpected end"
            case .name(let name)?: "an unexpected ‘\(name.escapedForDisplay(limit: 40))’"
            case .text(let text)?: "an unexpected text ‘\(text.escapedForDisplay(limit: 40))’"
            case .integer(let integer)?: "an unexpected \(integer)"
            case .float(let number)?: "an unexpected \(number)"
            case .symbol(let symbol)?: "an unexpected ‘\(symbol)’"
            }
        return PayloadError("it has \(shown)")
    }

    private static func unsupported(_ what: String, _ name: String) -> PayloadError {
        PayloadError("\(what) \(name.escapedForDisplay(limit: 40)) is not supported")
    }
}
