import NIOHTTP1
import NIOSSL

/// An error of a call to a server outside this process.
public struct EgressError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Hashable, Sendable, CaseIterable {
        /// The method, a header field or the body is not allowed.
        case invalidRequest
        /// The address of the server is blocked for apps.
        case addressRefused
        /// The server is this host.
        case ownHost
        /// The name has no address.
        case unknownHost
        /// No connection could be made; nothing was sent.
        case unreachable
        /// The certificate is not trusted, or TLS failed for another reason.
        case untrusted
        /// The certificate is not the pinned one.
        case wrongCertificate
        /// A time limit passed.
        case timedOut
        /// The response is not HTTP or is incomplete.
        case invalidResponse
        /// The body is larger than the limit.
        case responseTooLarge
        /// The body is compressed although the request asked for no compression.
        case responseEncoded
        /// The status is not the expected one.
        case unexpectedStatus
        /// A redirect leads to an invalid or less secure address.
        case redirectRefused
        /// There were more redirects than the limit.
        case tooManyRedirects
        /// A message of a WebSocket is larger than the limit.
        case messageTooLarge
        /// The WebSocket is closing or closed.
        case webSocketClosed
        /// A client exceeded its calls per minute or its concurrent calls; see ``retryAfter``.
        case tooManyCalls
    }

    /// The kind of error.
    public let code: Code
    /// One sentence that names the server; never a query, a body or a credential.
    public let message: String
    /// What the owner or the author of the app can do.
    public let hint: String?
    /// How long to wait before the next attempt, for ``Code/tooManyCalls``.
    public let retryAfter: Duration?
    /// The underlying error, not for display: its text can contain parts of the traffic.
    public let cause: (any Error)?

    /// Creates an error.
    public init(
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

extension EgressError {
    /// The error of a connection that could not be established.
    static func connecting(_ error: any Error, to server: String) -> EgressError {
        EgressError(
            .unreachable, "\(server) cannot be reached.",
            hint: "Check the address and the network.",
            cause: error)
    }

    /// An error on an established connection.
    static func exchanging(_ error: any Error, with server: String, isPinned: Bool) -> EgressError {
        switch error {
        case let own as EgressError: own
        case ServerConnection.Failure.handshakeTimedOut:
            EgressError(.timedOut, "\(server) did not complete the TLS handshake in time.")
        case ServerConnection.Failure.idle:
            EgressError(.timedOut, "\(server) stopped sending data.", hint: "Try again later.")
        case ServerConnection.Failure.closedDuringHandshake:
            EgressError(.untrusted, "No secure connection to \(server) can be made.")
        case let error where isCertificateFailure(error) && isPinned:
            EgressError(
                .wrongCertificate, "\(server) has a different certificate than the pinned one.",
                hint: "Another machine may be answering, or the certificate was replaced.",
                cause: error)
        case let error where isCertificateFailure(error):
            EgressError(
                .untrusted, "\(server) has a certificate that this machine does not trust.",
                hint: "To trust a device of your own, give the pin of its certificate.",
                cause: error)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            EgressError(
                .untrusted, "No secure connection to \(server) can be made.", cause: error)
        case let error as HTTPParserError where error != .invalidEOFState:
            EgressError(
                .invalidResponse, "\(server) did not answer with valid HTTP.", cause: error)
        default: incomplete(server, cause: error)
        }
    }

    static func incomplete(_ server: String, cause: (any Error)? = nil) -> EgressError {
        EgressError(
            .invalidResponse, "\(server) closed the connection before the response was complete.",
            cause: cause)
    }

    static func noAddress(_ host: some CustomStringConvertible) -> EgressError {
        EgressError(
            .unknownHost, "\(host) has no address.", hint: "Check the name and the network.")
    }

    /// Whether the server's certificate was rejected, as opposed to another failure of TLS.
    private static func isCertificateFailure(_ error: any Error) -> Bool {
        switch error {
        case let error as NIOSSLExtraError: error == .failedToValidateHostname
        case NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate: true
        case NIOSSLError.handshakeFailed(.sslError(let stack)):
            // NIOSSL publishes BoringSSL's reason only in this description.
            stack.contains { $0.description.contains("CERTIFICATE_VERIFY_FAILED") }
        default: false
        }
    }
}
