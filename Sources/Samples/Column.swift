/// The values of one field, sample by sample.
public enum Column: Hashable, Sendable {
    /// Of a field of kind `number`; each is finite.
    case numbers([Double])
    case integers([Int64])
    /// Of a field of kind `state` or `text`.
    case texts([String])

    /// An empty column for a field of this kind.
    public init(of kind: Field.Kind) {
        switch kind {
        case .number: self = .numbers([])
        case .integer: self = .integers([])
        case .state, .text: self = .texts([])
        }
    }

    public var count: Int {
        switch self {
        case .numbers(let values): values.count
        case .integers(let values): values.count
        case .texts(let values): values.count
        }
    }

    public subscript(row: Int) -> Value {
        switch self {
        case .numbers(let values): .number(values[row])
        case .integers(let values): .integer(values[row])
        case .texts(let values): .text(values[row])
        }
    }

    /// Whether a field of `kind` can hold every value; numbers must be finite.
    public func fits(_ kind: Field.Kind) -> Bool {
        switch (self, kind) {
        // The sum of the differences to itself is NaN as soon as one number is not finite.
        case (.numbers(let values), .number): values.reduce(0) { $0 + ($1 - $1) } == 0
        case (.integers, .integer), (.texts, .state), (.texts, .text): true
        default: false
        }
    }

    /// Adds one value at the end.
    ///
    /// - Returns: `false`, and adds nothing, when the column holds values of another kind.
    @discardableResult
    public mutating func append(_ value: Value) -> Bool {
        // Each case is emptied while its values grow, so that they are not copied.
        switch self {
        case .numbers(var values):
            guard case .number(let number) = value else { return false }
            self = .numbers([])
            values.append(number)
            self = .numbers(values)
        case .integers(var values):
            guard case .integer(let integer) = value else { return false }
            self = .integers([])
            values.append(integer)
            self = .integers(values)
        case .texts(var values):
            guard case .text(let text) = value else { return false }
            self = .texts([])
            values.append(text)
            self = .texts(values)
        }
        return true
    }

    /// Adds the values of some rows of another column at the end.
    ///
    /// - Returns: `false`, and adds nothing, when that column holds values of another kind.
    @discardableResult
    public mutating func append(_ other: Column, _ rows: Range<Int>) -> Bool {
        switch self {
        case .numbers(var values):
            guard case .numbers(let more) = other else { return false }
            self = .numbers([])
            values.append(contentsOf: more[rows])
            self = .numbers(values)
        case .integers(var values):
            guard case .integers(let more) = other else { return false }
            self = .integers([])
            values.append(contentsOf: more[rows])
            self = .integers(values)
        case .texts(var values):
            guard case .texts(let more) = other else { return false }
            self = .texts([])
            values.append(contentsOf: more[rows])
            self = .texts(values)
        }
        return true
    }

    /// The values of these rows, in this order.
    public subscript(rows: [Int]) -> Column {
        switch self {
        case .numbers(let values): .numbers(rows.map { values[$0] })
        case .integers(let values): .integers(rows.map { values[$0] })
        case .texts(let values): .texts(rows.map { values[$0] })
        }
    }

    /// The values of these rows.
    public subscript(rows: Range<Int>) -> Column {
        switch self {
        case .numbers(let values): .numbers(Array(values[rows]))
        case .integers(let values): .integers(Array(values[rows]))
        case .texts(let values): .texts(Array(values[rows]))
        }
    }
}
