import Foundation
import Text

/// A function of templates; usable as a filter, and where Jinja has it, as a function or a method.
///
/// The semantics are those of Jinja's built-in filters, and of Home Assistant's where it replaces them:
/// https://www.home-assistant.io/docs/configuration/templating.
enum TemplateFunction: String, Sendable, CaseIterable {
    case abs, add, bool, capitalize, `default`, endswith, first, float, get, iif, int
    case isDefined = "is_defined"
    case isNumber = "is_number"
    case join, last, length, lower, max, min, multiply, replace, round, split, startswith
    case string, title, trim, truncate, upper

    /// The maximum length of a text in bytes.
    static let textLimit = 64 << 10

    /// The names of the parameters after the first, for arguments with names.
    var parameters: [String] {
        switch self {
        case .abs, .capitalize, .first, .isDefined, .isNumber, .last, .length, .lower, .string,
            .title, .upper:
            []
        case .max, .min: ["b", "c", "d"]
        case .add, .multiply: ["amount", "default"]
        case .bool, .float: ["default"]
        case .default: ["default_value", "boolean"]
        case .get: ["key", "default"]
        case .iif: ["if_true", "if_false", "if_none"]
        case .int: ["default", "base"]
        case .join: ["d"]
        case .replace: ["old", "new", "count"]
        case .round: ["precision", "method", "default"]
        case .split: ["sep", "maxsplit"]
        case .startswith, .endswith: ["prefix"]
        case .trim: ["chars"]
        case .truncate: ["length", "killwords", "end", "leeway"]
        }
    }

    static func filter(_ name: String) -> TemplateFunction? {
        switch name {
        case "d": .default
        case "count": .length
        case "get", "split", "startswith", "endswith", "min", "max": nil
        default: TemplateFunction(rawValue: name)
        }
    }

    static func function(_ name: String) -> TemplateFunction? {
        switch name {
        case "float", "int", "bool", "is_number", "iif", "min", "max":
            TemplateFunction(rawValue: name)
        default: nil
        }
    }

    static func method(_ name: String) -> TemplateFunction? {
        switch name {
        case "strip": .trim
        case "get", "split", "lower", "upper", "title", "capitalize", "replace", "startswith",
            "endswith":
            TemplateFunction(rawValue: name)
        default: nil
        }
    }

    static func limited(_ text: String) throws(TemplateFailure) -> String {
        guard text.utf8.count <= textLimit else { throw .tooLong }
        return text
    }

    /// Applies the function to its operand and its arguments in the order of ``parameters``.
    func apply(_ arguments: [TemplateValue?]) throws(TemplateFailure) -> TemplateValue {
        let operand = (arguments.first ?? nil) ?? .undefined
        func argument(_ index: Int) -> TemplateValue? {
            arguments.indices.contains(index) ? arguments[index] : nil
        }
        switch self {
        case .abs:
            switch operand.number {
            case .integer(let integer) where integer != .min: return .integer(Swift.abs(integer))
            case let number?: return .float(Swift.abs(number.double))
            case nil: throw .operand
            }
        case .add, .multiply:
            guard let left = Self.real(operand), let right = argument(1).flatMap(Self.real) else {
                return try Self.fallback(argument(2))
            }
            return .float(self == .add ? left + right : left * right)
        case .bool: return try Self.flag(operand, argument(1))
        case .default:
            let isMissing = operand.isUndefined || argument(2)?.isTrue == true && !operand.isTrue
            return isMissing ? argument(1) ?? .text("") : operand
        case .first:
            guard !operand.isUndefined else { throw .undefined }
            return try operand.member(.integer(0))
        case .last:
            guard !operand.isUndefined else { throw .undefined }
            return try operand.member(.integer(-1))
        case .float:
            if let number = Self.real(operand) { return .float(number) }
            return try Self.fallback(argument(1))
        case .get:
            guard case .object = operand, let key = argument(1) else { throw .operand }
            let value = try operand.member(key)
            return value.isUndefined ? argument(2) ?? .none : value
        case .iif:
            if operand == .none, let other = argument(3), other != .none { return other }
            return operand.isTrue
                ? argument(1) ?? .bool(true) : argument(2) ?? .bool(false)
        case .int: return try Self.whole(operand, argument(1), base: argument(2))
        case .isDefined:
            guard !operand.isUndefined else { throw .undefined }
            return operand
        case .isNumber: return .bool(Self.real(operand)?.isFinite == true)
        case .join:
            guard case .list(let items) = operand else { throw .operand }
            var text = ""
            let separator = try argument(1)?.printed() ?? ""
            for (index, item) in items.enumerated() {
                text = try Self.limited(text + (index == 0 ? "" : separator) + item.printed())
            }
            return .text(text)
        case .length:
            switch operand {
            case .text(let text): return .integer(Int64(text.unicodeScalars.count))
            case .list(let items): return .integer(Int64(items.count))
            case .object(let members): return .integer(Int64(members.count))
            case .undefined: return .integer(0)
            default: throw .operand
            }
        case .max, .min: return try Self.extreme(arguments.compactMap(\.self), isMax: self == .max)
        case .round:
            return try Self.rounded(operand, argument(1), argument(2), default: argument(3))
        case .string: return .text(try operand.printed())
        case .capitalize, .endswith, .lower, .replace, .split, .startswith, .title, .trim,
            .truncate, .upper:
            let text = try Self.limited(try operand.printed())
            return try TemplateText(text: text).apply(self, argument)
        }
    }

    // MARK: - Numbers

    /// The operand as Python's `float` converts it; `nil` if it does not.
    private static func real(_ operand: TemplateValue) -> Double? {
        guard case .text(let text) = operand else { return operand.number?.double }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if let number = Double(decimal: trimmed, allowsExponent: true) { return number }
        switch trimmed.lowercased() {
        case "inf", "+inf", "infinity", "+infinity": return .infinity
        case "-inf", "-infinity": return -.infinity
        case "nan", "+nan", "-nan": return .nan
        default: return nil
        }
    }

    private static func whole(
        _ operand: TemplateValue, _ other: TemplateValue?, base: TemplateValue?
    ) throws(TemplateFailure) -> TemplateValue {
        if case .text(let text) = operand {
            var digits = text.trimmingCharacters(in: .whitespacesAndNewlines)[...]
            var radix = 10
            if case .integer(let base)? = base { radix = (2...36).contains(base) ? Int(base) : 10 }
            if radix == 16, digits.lowercased().hasPrefix("0x") { digits = digits.dropFirst(2) }
            if let integer = Int64(digits, radix: radix) { return .integer(integer) }
        } else if case .integer(let integer)? = operand.number {
            return .integer(integer)
        }
        guard let number = real(operand), let whole = Int64(exactly: number.rounded(.towardZero))
        else { return try fallback(other) }
        return .integer(whole)
    }

    private static func rounded(
        _ operand: TemplateValue, _ precision: TemplateValue?, _ method: TemplateValue?,
        default other: TemplateValue?
    ) throws(TemplateFailure) -> TemplateValue {
        guard let number = real(operand) else { return try fallback(other) }
        guard number.isFinite else { return .float(number) }
        let digits: Int64 =
            switch precision {
            case nil: 0
            case .integer(let digits)? where (0...15).contains(digits): digits
            default: throw .operand
            }
        let scale = pow(10.0, Double(digits))
        let result: Double
        switch method {
        case .text("ceil")?: result = (number * scale).rounded(.up) / scale
        case .text("floor")?: result = (number * scale).rounded(.down) / scale
        case .text("half")?: result = (number * 2).rounded(.toNearestOrEven) / 2
        default:
            // The exact decimal digits decide, as in Python: 2.675 is below 2.675 and becomes 2.67.
            result = Double(String(format: "%.\(digits)f", number)) ?? number
        }
        guard digits == 0 else { return .float(result) }
        return Int64(exactly: result.rounded(.towardZero)).map { .integer($0) } ?? .float(result)
    }

    private static func extreme(
        _ values: [TemplateValue], isMax: Bool
    ) throws(TemplateFailure) -> TemplateValue {
        var items = values
        if values.count == 1, case .list(let list) = values[0] { items = list }
        guard var best = items.first else { throw .operand }
        for item in items.dropFirst() where try item.order(best) == (isMax ? 1 : -1) { best = item }
        return best
    }

    private static func flag(
        _ operand: TemplateValue, _ other: TemplateValue?
    ) throws(TemplateFailure) -> TemplateValue {
        if let number = operand.number { return .bool(number.double != 0) }
        guard case .text(let text) = operand else { return try fallback(other) }
        switch text.lowercased().trimmingCharacters(in: .whitespacesAndNewlines) {
        case "1", "yes", "true", "on", "enable": return .bool(true)
        case "0", "no", "false", "off", "disable": return .bool(false)
        default: return try fallback(other)
        }
    }

    private static func fallback(_ other: TemplateValue?) throws(TemplateFailure) -> TemplateValue {
        guard let other else { throw .notNumber }
        return other
    }
}

/// A text that a function is applied to.
private struct TemplateText {
    let text: String

    func apply(
        _ function: TemplateFunction, _ argument: (Int) -> TemplateValue?
    ) throws(TemplateFailure) -> TemplateValue {
        func part(_ index: Int) throws(TemplateFailure) -> String {
            guard case .text(let text)? = argument(index) else { throw .operand }
            return text
        }
        switch function {
        case .lower: return .text(text.lowercased())
        case .upper: return .text(text.uppercased())
        case .capitalize: return .text(text.prefix(1).uppercased() + text.dropFirst().lowercased())
        case .title: return .text(titled)
        case .startswith: return .bool(text.hasPrefix(try part(1)))
        case .endswith: return .bool(text.hasSuffix(try part(1)))
        case .trim:
            guard argument(1) != nil else {
                return .text(text.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            let characters = CharacterSet(charactersIn: try part(1))
            return .text(text.trimmingCharacters(in: characters))
        case .replace:
            guard case let old = try part(1), !old.isEmpty, argument(3) == nil else {
                throw .operand
            }
            let new = try part(2)
            let pieces = text.components(separatedBy: old)
            guard
                text.utf8.count + (pieces.count - 1) * new.utf8.count
                    <= TemplateFunction.textLimit
            else { throw .tooLong }
            return .text(pieces.joined(separator: new))
        case .split:
            guard argument(2) == nil else { throw .operand }
            guard argument(1) != nil, argument(1) != .some(.none) else {
                return .list(text.split(whereSeparator: \.isWhitespace).map { .text(String($0)) })
            }
            guard case let separator = try part(1), !separator.isEmpty else { throw .operand }
            return .list(text.components(separatedBy: separator).map { .text($0) })
        case .truncate: return .text(try truncated(argument))
        default: throw .operand
        }
    }

    /// Jinja begins words after white space, hyphens and opening brackets.
    private var titled: String {
        var isStart = true
        var result = ""
        for character in text {
            result += isStart ? character.uppercased() : character.lowercased()
            isStart = character.isWhitespace || "-({[<".contains(character)
        }
        return result
    }

    private func truncated(
        _ argument: (Int) -> TemplateValue?
    ) throws(TemplateFailure) -> String {
        func number(_ index: Int, _ standard: Int) throws(TemplateFailure) -> Int {
            switch argument(index) {
            case nil: return standard
            case .integer(let integer)? where (0...1 << 16).contains(integer): return Int(integer)
            default: throw .operand
            }
        }
        let length = try number(1, 255)
        let end = try argument(3)?.printed() ?? "..."
        let scalars = Array(text.unicodeScalars)
        guard scalars.count > length + (try number(4, 5)) else { return text }
        guard length >= end.unicodeScalars.count else { throw .operand }
        let rest = scalars.prefix(length - end.unicodeScalars.count)
        if argument(2)?.isTrue == true { return String(String.UnicodeScalarView(rest)) + end }
        let words = rest.lastIndex(of: " ").map { rest[..<$0] } ?? rest
        return String(String.UnicodeScalarView(words)) + end
    }
}

/// A test of templates, after `is`.
enum TemplateTest: String, Sendable {
    case defined, undefined, none, number, string, mapping, integer, float, boolean, `true`, `false`
    case odd, even
    case `in`
    case equal = "eq"

    init?(name: String) {
        switch name {
        case "equalto": self = .equal
        case "sequence", "iterable": return nil
        default: self.init(rawValue: name)
        }
    }

    /// The number of arguments.
    var arity: Int { self == .in || self == .equal ? 1 : 0 }

    func holds(
        _ value: TemplateValue, _ arguments: [TemplateValue]
    ) throws(TemplateFailure) -> Bool {
        switch self {
        case .defined: return !value.isUndefined
        case .undefined: return value.isUndefined
        case .none: return value == .none
        case .number: return value.number != nil
        case .string: if case .text = value { return true } else { return false }
        case .mapping: if case .object = value { return true } else { return false }
        case .integer: if case .integer = value { return true } else { return false }
        case .float: if case .float = value { return true } else { return false }
        case .boolean: if case .bool = value { return true } else { return false }
        case .true: return value == .bool(true)
        case .false: return value == .bool(false)
        case .odd, .even:
            guard case .integer(let integer)? = value.number else { throw .operand }
            return (integer % 2 == 0) == (self == .even)
        case .in: return try arguments[0].contains(value)
        case .equal: return value.equals(arguments[0])
        }
    }
}
