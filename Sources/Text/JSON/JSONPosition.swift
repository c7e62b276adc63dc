/// A place in a JSON text, as an editor shows it.
public struct JSONPosition: Sendable, Hashable {
    /// The line, from 1; a line ends at a line feed.
    public let line: Int
    /// The column, from 1, counted in Unicode scalars: a tab or an emoji of one scalar is one column.
    public let column: Int

    /// Names a place.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

extension JSONPosition: CustomStringConvertible {
    /// `line:column`.
    public var description: String { "\(line):\(column)" }
}
