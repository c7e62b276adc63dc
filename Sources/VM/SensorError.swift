/// Why a sensor gave no sample.
public struct SensorError: Error, Sendable, CustomStringConvertible {
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable { case unreadable, malformed, gone }
        private let kind: Kind

        /// The source exists and cannot be read.
        public static let unreadable = Code(kind: .unreadable)
        /// The source said what its format does not allow.
        public static let malformed = Code(kind: .malformed)
        /// The hardware is no longer there.
        public static let gone = Code(kind: .gone)
    }

    public let code: Code
    /// One sentence that names the source.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
