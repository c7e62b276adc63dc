/// Reads JSON (RFC 8259) and accepts nothing that two readers could understand differently.
///
/// A text is refused where it is not UTF-8, begins with a byte order mark, is larger or deeper than
/// allowed, names a key twice in one object, has a comment, `NaN`, an unpaired surrogate, a number
/// that a double cannot hold, more than 30 combining marks on one character or anything after the
/// value. Keys are compared as Swift compares
/// strings, after escapes are decoded: two keys that differ only in Unicode form are the same key.
///
/// The time taken grows with the size of the text alone.
///
/// ```swift
/// let value = try StrictJSON().parse(Array(#"{"sensor": "light"}"#.utf8))
/// value["sensor"]?.string  // "light"
/// ```
public struct StrictJSON: Sendable {
    /// The most bytes a text may have.
    public var maximumBytes: Int
    /// How many lists and objects may stand inside each other; never more than 512.
    public var maximumDepth: Int
    /// Whether one comma may stand after the last element of a list or object.
    public var allowsTrailingCommas: Bool

    /// Sets the limits.
    public init(
        maximumBytes: Int = 256 * 1024, maximumDepth: Int = 32, allowsTrailingCommas: Bool = false
    ) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = min(maximumDepth, 512)
        self.allowsTrailingCommas = allowsTrailingCommas
    }

    /// Reads one value.
    ///
    /// - Throws: ``JSONSyntaxError`` with the first place that cannot be accepted.
    public func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSONValue {
        let start = JSONPosition(line: 1, column: 1)
        guard bytes.count <= maximumBytes else {
            throw JSONSyntaxError(
                position: start, message: "the text is larger than \(maximumBytes) bytes")
        }
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
            throw JSONSyntaxError(
                position: start,
                message: "the text begins with a byte order mark; save it as UTF-8 without one")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw JSONSyntaxError(
                position: Self.firstInvalidPlace(in: bytes), message: "this is not UTF-8")
        }
        var scanner = JSONScanner(
            bytes, maximumDepth: maximumDepth, allowsTrailingCommas: allowsTrailingCommas)
        return try scanner.document()
    }

    private static func firstInvalidPlace(in bytes: [UInt8]) -> JSONPosition {
        var decoder = UTF8()
        var source = bytes.makeIterator()
        var line = 1
        var column = 1
        while case .scalarValue(let scalar) = decoder.decode(&source) {
            column += 1
            if scalar == "\n" { (line, column) = (line + 1, 1) }
        }
        return JSONPosition(line: line, column: column)
    }
}

/// Why a text is not the JSON that was asked for, and where.
public struct JSONSyntaxError: Error, Sendable, Hashable {
    /// The first place that cannot be accepted.
    public let position: JSONPosition
    /// What is wrong there, with text from the document escaped for display.
    public let message: String

    /// The line, from 1.
    public var line: Int { position.line }
    /// The column, from 1, in Unicode scalars.
    public var column: Int { position.column }

    init(position: JSONPosition, message: String) {
        self.position = position
        self.message = message
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// `line:column: message`.
    public var description: String { "\(position): \(message)" }
}
