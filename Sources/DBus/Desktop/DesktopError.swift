/// Why the desktop did not show something.
public struct DesktopError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable { case unreachable, refused }
        private let kind: Kind

        /// Nobody answers at the address of the bus.
        public static let unreachable = Code(kind: .unreachable)
        /// The bus is there, and nobody on it shows messages, or not this one.
        public static let refused = Code(kind: .refused)
    }

    public let code: Code
    /// One sentence.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
