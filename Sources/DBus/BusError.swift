import Glibc

/// Why something over D-Bus did not come about.
public struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable {
            case unreachable, refused, silent, malformed, excessive, cancelled
        }
        private let kind: Kind

        /// Nobody answers at the address of the bus, or the bus has gone.
        public static let unreachable = Code(kind: .unreachable)
        /// Who was called, or the bus, answered with an error; its ``BusError/name`` says which.
        public static let refused = Code(kind: .refused)
        /// No answer came in time.
        public static let silent = Code(kind: .silent)
        /// What came, or was to be sent, is nothing that this program knows.
        public static let malformed = Code(kind: .malformed)
        /// More came than is taken: a message that is too large, or signals faster than they were read.
        public static let excessive = Code(kind: .excessive)
        /// The task that waited was cancelled, or the connection was closed.
        public static let cancelled = Code(kind: .cancelled)
    }

    public let code: Code
    /// The name of an error of D-Bus, such as `org.bluez.Error.NotReady`; only where it was refused.
    public let name: String?
    /// A clause without a full stop.
    ///
    /// It may be of a stranger: escape it before it is shown.
    public let message: String

    init(_ code: Code, name: String? = nil, _ message: String) {
        (self.code, self.name, self.message) = (code, name, message)
    }

    /// - Parameter result: a negative `errno`, as sd-bus returns it.
    init(_ code: Code, _ result: Int32) {
        self.init(code, String(cString: strerror(-result)).lowercased())
    }

    public var description: String { message }
}

/// What a message may have at most.
public enum BusLimits {
    /// How deep values may stand in each other.
    public static let depth = 16
    /// Values in one message, each element counted.
    public static let values = 1 << 18
    /// Bytes of texts and of arrays of bytes in one message.
    public static let bytes = 8 << 20
}
