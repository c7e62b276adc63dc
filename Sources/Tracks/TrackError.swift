/// Why a session, a route or a file is not as asked.
public struct TrackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable {
            case wrongState, tooFar, inaccurate, invalid, malformed, tooLarge, unsafe
        }
        private let kind: Kind

        /// The state does not allow the step, such as to pause what was not started.
        public static let wrongState = Code(kind: .wrongState)
        /// The place is too far from where the route was paused.
        public static let tooFar = Code(kind: .tooFar)
        /// The place is not known well enough.
        public static let inaccurate = Code(kind: .inaccurate)
        /// A name, a number or a list is not one that is allowed.
        public static let invalid = Code(kind: .invalid)
        /// The text is not of its format.
        public static let malformed = Code(kind: .malformed)
        /// More than is read at once.
        public static let tooLarge = Code(kind: .tooLarge)
        /// The text uses a part of its format that is refused, such as a document type.
        public static let unsafe = Code(kind: .unsafe)
    }

    public let code: Code
    /// One sentence that names the thing, and never a value.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
