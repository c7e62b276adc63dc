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
