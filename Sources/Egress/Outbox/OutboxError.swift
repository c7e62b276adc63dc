/// Why something is not sent, or not kept.
public struct OutboxError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable {
            case invalid, notFound, notDelivered, full, busy, diskFull, storeFailed
        }
        private let kind: Kind

        /// It cannot be sent so, whatever the server says.
        public static let invalid = Code(kind: .invalid)
        /// Nothing of that name waits.
        public static let notFound = Code(kind: .notFound)
        /// The server did not get it or did not want it, and it is not kept.
        public static let notDelivered = Code(kind: .notDelivered)
        /// As much waits as may.
        public static let full = Code(kind: .full)
        /// It is being sent just now.
        public static let busy = Code(kind: .busy)
        /// The disk has no room.
        public static let diskFull = Code(kind: .diskFull)
        /// The folder could not be read or written.
        public static let storeFailed = Code(kind: .storeFailed)
    }

    public let code: Code
    /// One sentence.
    public let message: String
    /// What would help.
    public let hint: String?

    init(_ code: Code, _ message: String, hint: String? = nil) {
        (self.code, self.message, self.hint) = (code, message, hint)
    }

    public var description: String { message }
}
