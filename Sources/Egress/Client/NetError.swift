/// Why a call to another server was not made, or has no answer.
public struct NetError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable {
            case invalidRequest, addressRefused, ownHost, unknownHost, unreachable, untrusted
            case wrongCertificate, tooSlow, brokenAnswer, answerTooLarge, answerEncoded
            case redirectRefused, tooManyRedirects, tooManyCalls
        }
        private let kind: Kind

        /// The method, a header field or the body is not one that is sent.
        public static let invalidRequest = Code(kind: .invalidRequest)
        /// The host's address is not one that the origin may lead to.
        public static let addressRefused = Code(kind: .addressRefused)
        /// It is this host itself.
        public static let ownHost = Code(kind: .ownHost)
        /// The name has no address.
        public static let unknownHost = Code(kind: .unknownHost)
        /// Nobody answers at the address.
        public static let unreachable = Code(kind: .unreachable)
        /// No authority that the machine trusts vouches for the certificate.
        public static let untrusted = Code(kind: .untrusted)
        /// The certificate is not the one that the app's package names.
        public static let wrongCertificate = Code(kind: .wrongCertificate)
        /// It took longer than a call may.
        public static let tooSlow = Code(kind: .tooSlow)
        /// What came is not HTTP, or not whole.
        public static let brokenAnswer = Code(kind: .brokenAnswer)
        /// The body or the header is larger than it may be.
        public static let answerTooLarge = Code(kind: .answerTooLarge)
        /// The body is compressed, which was not asked for.
        public static let answerEncoded = Code(kind: .answerEncoded)
        /// The answer leads where the client may not go.
        public static let redirectRefused = Code(kind: .redirectRefused)
        /// One redirect led to the next too often.
        public static let tooManyRedirects = Code(kind: .tooManyRedirects)
        /// The client calls more often, or more at once, than it may; `retryAfter` says how long to
        /// wait.
        public static let tooManyCalls = Code(kind: .tooManyCalls)
    }

    public let code: Code
    /// One sentence that names the server, and neither path nor query.
    public let message: String
    /// What would help.
    public let hint: String?
    /// How long to wait before trying again, for `tooManyCalls`.
    public let retryAfter: Duration?
    public let cause: (any Error)?

    init(
        _ code: Code, _ message: String, hint: String? = nil, retryAfter: Duration? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.retryAfter = retryAfter
        self.cause = cause
    }

    public var description: String { message }
}
