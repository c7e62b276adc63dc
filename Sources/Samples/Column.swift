/// The values of one field, one row for each sample.
///
/// ```swift
/// var column = Column(of: .number)
/// column.append(.number(21.5))  // true
/// column.append(.text("on"))    // false: the column holds numbers
/// ```
public enum Column: Hashable, Sendable {
    /// Values of a field of kind `number`; each is finite.
    case numbers([Double])
    /// Values of a field of kind `integer`.
    case integers([Int64])
    /// Values of a field of kind `state` or `text`.
    case texts([String])

    /// An empty column for a field of this kind.
    public init(of kind: Field.Kind) {
        switch kind {
        case .number: self = .numbers([])
        case .integer: self = .integers([])
        case .state, .text: self = .texts([])
        }
    }

    /// The number of rows.
    public var count: Int {
        switch self {
        case .numbers(let values): values.count
        case .integers(let values): values.count
        case .texts(let values): values.count
        }
    }

    /// The value in a row; traps outside `0..<count`.
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
        // x − x is NaN for every number that is not finite, and a NaN makes the sum NaN.
        case (.numbers(let values), .number): values.reduce(0) { $0 + ($1 - $1) } == 0
        case (.integers, .integer), (.texts, .state), (.texts, .text): true
        default: false
        }
    }

    /// Appends one value.
    ///
    /// - Returns: `false`, and adds nothing, when the column holds values of another kind.
    @discardableResult
    public mutating func append(_ value: Value) -> Bool {
        // The column is emptied while the array grows, so that the array is not copied.
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

    /// Appends rows of another column.
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

    /// The values of `rows`, in the order given.
    public subscript(rows: [Int]) -> Column {
        switch self {
        case .numbers(let values): .numbers(rows.map { values[$0] })
        case .integers(let values): .integers(rows.map { values[$0] })
        case .texts(let values): .texts(rows.map { values[$0] })
        }
    }

    /// The values of a range of rows.
    public subscript(rows: Range<Int>) -> Column {
        switch self {
        case .numbers(let values): .numbers(Array(values[rows]))
        case .integers(let values): .integers(Array(values[rows]))
        case .texts(let values): .texts(Array(values[rows]))
        }
    }

    /// UTF-8 bytes of the texts in a range of rows; 0 for a column of numbers.
    public func textBytes(of rows: Range<Int>) -> Int {
        guard case .texts(let texts) = self else { return 0 }
        return texts[rows].reduce(0) { $0 + $1.utf8.count }
    }
}
