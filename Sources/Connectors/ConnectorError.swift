/// Why a source cannot be reached or read any longer.
public struct ConnectorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence that names the source and, where something helps, says what.
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
