public import Addresses
public import NIOCore
public import NIOSSL
import Scheduling
import Synchronization

/// The HTTP client for all calls to servers outside this process.
///
/// It speaks HTTP/1.1 on a new connection for each step of a call. It has no cookies and no cache,
/// and connects only to addresses that its ``AddressRule`` allows, which it looks up once for each
/// step.
///
/// ```swift
/// let client = OutboundClient(userAgent: "nervous/1.0")
/// let response = try await client.send(request) { step in
///     try await step.perform(pin: pins[step.request.address.origin])
/// }
/// ```
public struct OutboundClient: Sendable {
    /// The maximum number of addresses of a name that are tried.
    private static let attempts = 3

    let userAgent: String
    let rule: AddressRule
    let connect: @Sendable (IPAddress, UInt16) throws -> SocketAddress
    private let resolver: any NameResolver
    private let contexts: TLSContexts
    private let time: any TimeSource

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - userAgent: the value of `User-Agent`.
    ///   - rule: which addresses may be called.
    ///   - trustRoots: the certificate authorities that are trusted where there is no pin.
    public init(
        userAgent: String, rule: AddressRule = .unrestricted,
        resolver: any NameResolver = SystemResolver(), trustRoots: NIOSSLTrustRoots = .default
    ) {
        self.init(userAgent: userAgent, rule: rule, resolver: resolver, trustRoots: trustRoots) {
            try SocketAddress(ipAddress: $0.description, port: Int($1))
        }
    }

    /// - Parameter connect: where to connect for an address; tests redirect it to a local server.
    init(
        userAgent: String, rule: AddressRule, resolver: any NameResolver,
        trustRoots: NIOSSLTrustRoots, time: any TimeSource = .system,
        connect: @escaping @Sendable (IPAddress, UInt16) throws -> SocketAddress
    ) {
        (self.userAgent, self.rule, self.resolver) = (userAgent, rule, resolver)
        (self.time, self.connect) = (time, connect)
        contexts = TLSContexts(trustRoots: trustRoots)
    }

    /// Refuses origins that no permission allows.
    ///
    /// - Throws: `addressRefused`, `ownHost`.
    public func check(_ origin: WebOrigin) throws(EgressError) {
        try rule.check(origin)
    }

    /// Sends a request and follows redirects.
    ///
    /// - Parameters:
    ///   - options: limits of time and size, and how many redirects are followed.
    ///   - accept: checks the head of the last response before its body is read.
    ///   - progress: the bytes of the body received so far, and the expected number if known.
    ///   - authorize: called for the request and for each redirect; it either throws or performs
    ///     the step.
    /// - Throws: ``EgressError``, `CancellationError`, or what a closure throws.
    public func send(
        _ request: OutboundRequest, _ options: OutboundOptions = OutboundOptions(),
        accept: @escaping @Sendable (ResponseHead, WebAddress) throws -> Void = { _, _ in },
        progress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void = { _, _ in },
        authorize: @escaping @Sendable (OutboundStep) async throws -> OutboundResponse
    ) async throws -> OutboundResponse {
        try await withinTotal(of: options, for: request.address) { deadline in
            var request = request
            for redirects in 0...max(options.redirects, 0) {
                try rule.check(request.address.origin)
                let response = try await authorize(
                    OutboundStep(
                        request: request, isRedirect: redirects > 0, client: self, options: options,
                        accept: accept, progress: progress, deadline: deadline))
                guard options.redirects > 0,
                    let next = try request.redirected(
                        status: response.status, location: response.location)
                else { return response }
                request = next
            }
            throw EgressError(
                .tooManyRedirects,
                "\(options.name(of: request.address)) redirects more than \(options.redirects) times."
            )
        }
    }

    /// Opens a WebSocket and runs `body`; the connection is closed when it returns.
    ///
    /// Redirects are not followed.
    ///
    /// - Parameters:
    ///   - options: limits the time until the WebSocket is open.
    ///   - pin: the certificate that the server must present; `nil` for one of a trusted authority.
    /// - Throws: ``EgressError``, `CancellationError`, or what `body` throws.
    public func webSocket<T: Sendable>(
        _ request: WebSocketRequest, _ options: OutboundOptions = OutboundOptions(),
        limits: WebSocketLimits = WebSocketLimits(), pin: CertificatePin?,
        _ body: @escaping @Sendable (WebSocketConnection) async throws -> T
    ) async throws -> T {
        try rule.check(request.address.origin)
        return try await withinTotal(of: options, for: request.address) { deadline in
            let step = OutboundStep(
                request: OutboundRequest(trusted: "GET", request.address), isRedirect: false,
                client: self, options: options, accept: { _, _ in }, progress: { _, _ in },
                deadline: deadline)
            let exchange = WebSocketExchange(
                request: request, step: step, client: self, pin: pin,
                context: try await context(for: step, pin), limits: limits, time: time)
            return try await atFirstAddress(of: step) { try await exchange.run(at: $0, body) }
        }
    }

    /// Performs one step, at the first address that accepts a connection.
    fileprivate func perform(
        _ step: OutboundStep, pin: CertificatePin?, receiver: ResponseReceiver?
    ) async throws -> OutboundResponse {
        let exchange = ServerExchange(
            step: step, client: self, pin: pin, context: try await context(for: step, pin),
            receiver: receiver)
        return try await atFirstAddress(of: step) { try await exchange.response(from: $0) }
    }

    /// Runs `body` within the total time limit of a call, which `body` may lift.
    private func withinTotal<T: Sendable>(
        of options: OutboundOptions, for address: WebAddress,
        _ body: @escaping @Sendable (Deadline) async throws -> T
    ) async throws -> T {
        let late = EgressError(
            .timedOut, "\(options.name(of: address)) did not answer in time.",
            hint: "Try again later.")
        let deadline = Deadline()
        return try await withTimeLimit(
            options.total, time: time, unless: { deadline.isLifted }, throwing: late
        ) { try await body(deadline) }
    }

    /// The TLS context of a step; `nil` for plain HTTP.
    private func context(
        for step: OutboundStep, _ pin: CertificatePin?
    ) async throws -> NIOSSLContext? {
        guard step.request.address.origin.scheme == .https else { return nil }
        return try await contexts.context(isPinned: pin != nil)
    }

    /// Runs `body` with the addresses of a server, until one accepts a connection.
    private func atFirstAddress<T>(
        of step: OutboundStep, _ body: (IPAddress) async throws -> T
    ) async throws -> T {
        let addresses = try await addresses(for: step)
        var last = EgressError.noAddress(step.request.address.origin.host)
        for address in addresses.prefix(Self.attempts) {
            try Task.checkCancellation()
            do {
                return try await body(address)
            } catch let error as EgressError where error.code == .unreachable {
                // After any other error the server may have received the request: never repeat it.
                last = error
            } catch {
                try Task.checkCancellation()
                throw error
            }
        }
        try Task.checkCancellation()
        throw last
    }

    /// The addresses of an origin that the rule allows.
    private func addresses(for step: OutboundStep) async throws(EgressError) -> [IPAddress] {
        let origin = step.request.address.origin
        let found: [IPAddress]
        switch origin.host {
        case .address(let address): found = [address]
        // RFC 6761, section 6.3: always this machine, without asking a resolver.
        case .name("localhost"): found = [.v4(0x7F00_0001), .v6(1)]
        case .name(let name):
            do throws(EgressError) {
                found = try await resolver.addresses(of: name, within: step.options.total)
            } catch {
                throw EgressError(
                    error.code, "\(step.server) cannot be reached: \(error.message)",
                    hint: error.hint, cause: error)
            }
        }
        var allowed: [IPAddress] = []
        var refusal: EgressError?
        for address in found {
            do throws(EgressError) {
                try rule.check(address, of: origin)
                allowed.append(address)
            } catch {
                refusal = refusal ?? error
            }
        }
        guard !allowed.isEmpty else { throw refusal ?? .noAddress(origin.host) }
        return allowed
    }
}

/// The limits of a call.
public struct OutboundOptions: Hashable, Sendable {
    /// The time limit for connecting to one address, and for the TLS handshake.
    public var connecting = Duration.seconds(5)
    /// The maximum time without receiving a byte; `nil` for no such limit.
    public var idle: Duration?
    /// The time limit for the whole call with its redirects, except for the events of a stream.
    public var total = Duration.seconds(30)
    /// The maximum size of the body in bytes, except for a stream of events; a longer one is an error
    /// and is not truncated.
    public var responseBytes = 10 << 20
    /// Whether the body is read; otherwise the call ends with the head of the response.
    public var readsBody = true
    /// The maximum number of redirects; with zero a redirect is returned as the response.
    public var redirects = 5
    /// Whether messages contain the path of the URL; they never contain the query.
    public var messagesContainPath = false

    /// The limits for apps.
    public init() {}

    func name(of address: WebAddress) -> String {
        messagesContainPath
            ? String(address.withoutQuery.prefix(200)) : address.origin.description
    }
}

/// One step of a call: the request, or a redirect.
public struct OutboundStep: Sendable {
    /// The request of this step.
    public let request: OutboundRequest
    /// Whether this step follows a redirect.
    public let isRedirect: Bool
    fileprivate let client: OutboundClient
    let options: OutboundOptions
    let accept: @Sendable (ResponseHead, WebAddress) throws -> Void
    let progress: @Sendable (Int, Int?) -> Void
    let deadline: Deadline

    /// The server's name in messages.
    var server: String { options.name(of: request.address) }

    /// Sends the request of this step.
    ///
    /// - Parameters:
    ///   - pin: the certificate that the server must present; `nil` for one of a trusted authority.
    ///   - receiver: takes the response as it arrives, unless it is a redirect that is followed;
    ///     `nil` to collect the body.
    public func perform(
        pin: CertificatePin?, receiver: ResponseReceiver? = nil
    ) async throws -> OutboundResponse {
        try await client.perform(self, pin: pin, receiver: receiver)
    }

    /// Whether the client follows a response and ignores its body.
    func isFollowed(_ head: ResponseHead) -> Bool {
        options.redirects > 0 && OutboundRequest.isRedirect(head.status, location: head.location)
    }
}

/// Takes a response while it arrives.
///
/// Nothing more is read from the server before a closure returns, so that a slow receiver slows the
/// server down. An error that a closure throws ends the call, which throws it. A stream of events has
/// neither a limit of size nor, after its head, of total time.
public struct ResponseReceiver: Sendable {
    /// Takes the head, once, with the URL of the last step, and whether redirects led there.
    let head:
        @Sendable (ResponseHead, _ from: WebAddress, _ isRedirected: Bool) async throws -> Void
    /// Takes the next bytes of the body.
    let piece: @Sendable (ByteBuffer) async throws -> Void

    /// Creates a receiver.
    public init(
        head:
            @escaping @Sendable (
                ResponseHead, _ from: WebAddress, _ isRedirected: Bool
            ) async throws -> Void,
        piece: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) {
        self.head = head
        self.piece = piece
    }

    /// A receiver that is called after `before`, which may refuse a part by throwing an error.
    public func preceded(
        head before: @escaping @Sendable (ResponseHead) async throws -> Void,
        piece beforePiece: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) -> ResponseReceiver {
        ResponseReceiver { head, address, isRedirected in
            try await before(head)
            try await self.head(head, address, isRedirected)
        } piece: { piece in
            try await beforePiece(piece)
            try await self.piece(piece)
        }
    }
}

/// The total time limit of a call, which ends where a stream of events begins.
final class Deadline: Sendable {
    private let state = Mutex(false)

    var isLifted: Bool { state.withLock { $0 } }

    func lift() {
        state.withLock { $0 = true }
    }
}

/// The head of a response.
public struct ResponseHead: Sendable {
    /// The HTTP status, from 100 to 599.
    public let status: Int
    /// The fields for the caller: lower-case names, without cookies and fields of the connection.
    public let fields: [HeaderField]
    /// The value of `Location`.
    let location: String?

    /// Whether the body is a stream of events, which may never end.
    public var isEventStream: Bool {
        let type = fields.first { $0.name == "content-type" }?.value.prefix { $0 != ";" }
        return type?.lowercased().split(separator: " ") == ["text/event-stream"]
    }

    private static let hidden: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-connection", "set-cookie", "set-cookie2", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]

    init(status: Int, _ fields: some Sequence<(name: String, value: String)>) {
        self.status = status
        let fields = fields.map { HeaderField($0.name.lowercased(), $0.value) }
        location = fields.first { $0.name == "location" }?.value
        self.fields = fields.filter {
            !Self.hidden.contains($0.name) && !$0.name.hasPrefix("nervous-")
        }
    }
}

/// A response with any status.
public struct OutboundResponse: Sendable {
    /// The head of the response.
    public let head: ResponseHead
    /// The body; empty where it was not read, or was given to a ``ResponseReceiver``.
    public let body: ByteBuffer
    /// The bytes of the body that were read.
    public let received: Int
    /// The URL of the last step.
    public let address: WebAddress
    /// Whether the response follows a redirect.
    public let isRedirected: Bool

    /// The HTTP status.
    public var status: Int { head.status }
    /// The header fields for the caller; see ``ResponseHead/fields``.
    public var fields: [HeaderField] { head.fields }
    var location: String? { head.location }
}
