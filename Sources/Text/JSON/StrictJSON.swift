/// A parser for JSON (RFC 8259) that rejects everything that parsers interpret differently.
///
/// It rejects texts that are not UTF-8, begin with a byte order mark, exceed the limits of size or
/// depth, have duplicate keys in an object, comments, `NaN`, unpaired surrogates, numbers out of
/// the range of a double, more than 30 combining marks on a character, or anything after the value.
/// Keys are compared as Swift strings after decoding: keys that differ only in their Unicode form
/// are equal.
///
/// Parsing takes linear time.
///
/// ```swift
/// let value = try StrictJSON().parse(Array(#"{"sensor": "light"}"#.utf8))
/// value["sensor"]?.string  // "light"
/// ```
public struct StrictJSON: Sendable {
    /// The maximum size of a text in bytes.
    public var maximumBytes: Int
    /// The maximum nesting of lists and objects, up to 512.
    public var maximumDepth: Int
    /// Whether a comma is allowed after the last element of a list or object.
    public var allowsTrailingCommas: Bool

    /// Creates a parser with limits.
    public init(
        maximumBytes: Int = 256 * 1024, maximumDepth: Int = 32, allowsTrailingCommas: Bool = false
    ) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = min(maximumDepth, 512)
        self.allowsTrailingCommas = allowsTrailingCommas
    }

    /// Parses a text.
    ///
    /// - Throws: ``JSONSyntaxError`` with the first invalid position.
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
                position: Self.firstInvalidPosition(in: bytes),
                message: "the text is not valid UTF-8")
        }
        var scanner = JSONScanner(
            bytes, maximumDepth: maximumDepth, allowsTrailingCommas: allowsTrailingCommas)
        return try scanner.document()
    }

    private static func firstInvalidPosition(in bytes: [UInt8]) -> JSONPosition {
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

/// An error in a JSON text and its position.
public struct JSONSyntaxError: Error, Sendable, Hashable {
    /// The first invalid position.
    public let position: JSONPosition
    /// What is wrong; parts of the text are escaped for display.
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
