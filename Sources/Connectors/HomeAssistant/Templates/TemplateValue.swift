import Text

/// A value in a template, with the rules of Python for truth, text, equality and order.
enum TemplateValue: Hashable, Sendable {
    case undefined
    case none
    case bool(Bool)
    case integer(Int64)
    case float(Double)
    case text(String)
    case list([TemplateValue])
    case object([Member])

    struct Member: Hashable, Sendable {
        let key: TemplateValue
        let value: TemplateValue
    }

    /// The value of a JSON text; integers beyond 64 bits become floating-point numbers.
    init(_ json: JSONValue) {
        switch json.content {
        case .null: self = .none
        case .bool(let flag): self = .bool(flag)
        case .number(let number):
            let isWhole = number.literal.utf8.allSatisfy { $0 != 0x2E && $0 | 0x20 != 0x65 }
            self = (isWhole ? number.int64 : nil).map { .integer($0) } ?? .float(number.double)
        case .string(let text): self = .text(text)
        case .array(let items): self = .list(items.map(TemplateValue.init))
        case .object(let members):
            self = .object(
                members.map { Member(key: .text($0.key), value: TemplateValue($0.value)) })
        }
    }

    var isUndefined: Bool { self == .undefined }

    var isTrue: Bool {
        switch self {
        case .undefined, .none: false
        case .bool(let flag): flag
        case .integer(let integer): integer != 0
        case .float(let number): number != 0
        case .text(let text): !text.isEmpty
        case .list(let items): !items.isEmpty
        case .object(let members): !members.isEmpty
        }
    }

    /// The value as a number for arithmetic; `nil` for texts, which Python does not convert.
    var number: TemplateNumber? {
        switch self {
        case .bool(let flag): .integer(flag ? 1 : 0)
        case .integer(let integer): .integer(integer)
        case .float(let number): .float(number)
        case .undefined, .none, .text, .list, .object: nil
        }
    }

    /// The value as printed.
    ///
    /// - Throws: ``TemplateFailure`` for lists and objects.
    func printed() throws(TemplateFailure) -> String {
        switch self {
        case .undefined: ""
        case .none: "None"
        case .bool(let flag): flag ? "True" : "False"
        case .integer(let integer): "\(integer)"
        case .float(let number): "\(number)"
        case .text(let text): text
        case .list, .object: throw .noText
        }
    }

    func equals(_ other: TemplateValue) -> Bool {
        if let left = number, let right = other.number { return left.order(right) == .some(0) }
        switch (self, other) {
        case (.list(let left), .list(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.equals($1) }
        default: return self == other
        }
    }

    /// -1, 0 or 1 for less, equal or greater; `nil` for a number that is not comparable (NaN).
    ///
    /// - Throws: ``TemplateFailure`` unless both are numbers or both are texts.
    func order(_ other: TemplateValue) throws(TemplateFailure) -> Int? {
        if let left = number, let right = other.number { return left.order(right) }
        guard case .text(let left) = self, case .text(let right) = other else { throw .operand }
        let (first, second) = (left.unicodeScalars, right.unicodeScalars)
        if first.elementsEqual(second) { return 0 }
        return first.lexicographicallyPrecedes(second) ? -1 : 1
    }

    /// Whether `part` is an item of a list, a key of an object or in a text.
    func contains(_ part: TemplateValue) throws(TemplateFailure) -> Bool {
        switch (self, part) {
        case (.list(let items), _): items.contains { $0.equals(part) }
        case (.object(let members), _): members.contains { $0.key.equals(part) }
        case (.text(let text), .text(let part)): part.isEmpty || text.contains(part)
        default: throw .operand
        }
    }

    /// The member of an object, the item of a list or the character of a text.
    ///
    /// - Returns: `undefined` if there is none.
    /// - Throws: ``TemplateFailure`` for an undefined value.
    func member(_ key: TemplateValue) throws(TemplateFailure) -> TemplateValue {
        switch (self, key) {
        case (.undefined, _): throw .undefined
        case (.object(let members), _):
            members.last { $0.key.equals(key) }?.value ?? .undefined
        case (.list(let items), .integer(let index)):
            Self.offset(index, of: items.count).map { items[$0] } ?? .undefined
        case (.text(let text), .integer(let index)):
            Self.offset(index, of: text.unicodeScalars.count).map {
                .text(String(Array(text.unicodeScalars)[$0]))
            } ?? .undefined
        default: .undefined
        }
    }

    /// The part of a list or a text from one index up to another; negative ones count from the end.
    func slice(_ from: Int64?, _ to: Int64?) throws(TemplateFailure) -> TemplateValue {
        func bounds(_ count: Int) -> Range<Int> {
            func clamped(_ index: Int64) -> Int {
                let index = index < 0 ? max(0, Int64(count) + max(index, -1 << 32)) : index
                return Int(min(index, Int64(count)))
            }
            let start = from.map(clamped) ?? 0
            return start..<max(start, to.map(clamped) ?? count)
        }
        switch self {
        case .text(let text):
            let scalars = Array(text.unicodeScalars)
            return .text(String(String.UnicodeScalarView(scalars[bounds(scalars.count)])))
        case .list(let items): return .list(Array(items[bounds(items.count)]))
        case .undefined: throw .undefined
        default: throw .operand
        }
    }

    private static func offset(_ index: Int64, of count: Int) -> Int? {
        let offset = index < 0 ? Int64(count) + max(index, -1 << 32) : index
        return (0..<Int64(count)).contains(offset) ? Int(offset) : nil
    }
}

/// A number in a template.
///
/// Python's integers have no limit; here a result beyond 64 bits becomes a floating-point number.
enum TemplateNumber: Hashable, Sendable {
    case integer(Int64)
    case float(Double)

    var double: Double {
        switch self {
        case .integer(let integer): Double(integer)
        case .float(let number): number
        }
    }

    var value: TemplateValue {
        switch self {
        case .integer(let integer): .integer(integer)
        case .float(let number): .float(number)
        }
    }

    func order(_ other: TemplateNumber) -> Int? {
        if case .integer(let left) = self, case .integer(let right) = other {
            return left == right ? 0 : left < right ? -1 : 1
        }
        let (left, right) = (double, other.double)
        return left == right ? 0 : left < right ? -1 : left > right ? 1 : nil
    }
}

/// Why a message has no value for a template; the message is left out.
enum TemplateFailure: Error, Hashable, Sendable {
    /// A member of something undefined, or `is_defined` of something undefined.
    case undefined
    /// An operand or argument of the wrong type.
    case operand
    /// A text that is not a number, without a default.
    case notNumber
    case divisionByZero
    /// A list or an object where a text is needed.
    case noText
    /// A text longer than the limit.
    case tooLong
}
