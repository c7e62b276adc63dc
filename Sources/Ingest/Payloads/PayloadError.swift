/// Why a description of payloads cannot be used.
public struct PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One clause without a full stop.
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
