/// Why a body that an app pushed cannot be read at all.
public struct PushFault: Error, Hashable, Sendable {
    /// What kind of fault it is.
    public struct Code: Hashable, Sendable {
        private enum Kind { case malformed, tooLarge }
        private let kind: Kind

        /// It is not what the app is known to send.
        public static let malformed = Code(kind: .malformed)
        /// It has more bytes or lines than are taken at once.
        public static let tooLarge = Code(kind: .tooLarge)
    }

    public let code: Code
    /// One sentence that names the thing.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
