import Glibc

/// An error of D-Bus.
public struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Hashable, Sendable, CaseIterable {
        /// The bus cannot be reached, or the connection ended.
        case unreachable
        /// The callee or the bus replied with an error; see ``BusError/name``.
        case refused
        /// There was no reply in time.
        case timedOut
        /// A received or sent message has unsupported content.
        case malformed
        /// A message is too large, or signals arrive faster than they are read.
        case excessive
        /// The waiting task was cancelled, or the connection was closed.
        case cancelled
    }

    /// The kind of error.
    public let code: Code
    /// The D-Bus name of the error, such as `org.bluez.Error.NotReady`, for ``Code/refused``.
    public let name: String?
    /// A clause without a full stop.
    ///
    /// It can be from another program: escape it for display.
    public let message: String

    init(_ code: Code, name: String? = nil, _ message: String) {
        (self.code, self.name, self.message) = (code, name, message)
    }

    /// - Parameter result: a negative `errno` from sd-bus.
    init(_ code: Code, _ result: Int32) {
        self.init(code, String(cString: strerror(-result)).lowercased())
    }

    public var description: String { message }
}

/// The limits of a message.
public enum BusLimits {
    /// The maximum nesting of values.
    public static let depth = 16
    /// The maximum number of values, including each element.
    public static let values = 1 << 18
    /// The maximum size of strings and byte arrays in bytes.
    public static let bytes = 8 << 20
}
