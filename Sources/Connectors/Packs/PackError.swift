/// Why a sensor pack cannot be used.
public struct PackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence, with the place in `sensor.json` where there is one.
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
