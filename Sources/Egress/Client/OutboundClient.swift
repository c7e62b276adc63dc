public import Addresses
public import Auth
import NIOCore
import NIOHTTP1
public import NIOSSL

/// Calls other servers for apps, and checks at every step that it may.
///
/// It has no memory of its own: no cookies, no cache, and a new connection for each step.
public struct OutboundClient: Sendable {
    /// The most addresses of a name that are tried.
    private static let attempts = 3

    private let log: AccessLog
    private let resolver: any NameResolver
    private let contexts: TLSContexts
    private let rule: AddressRule
    private let userAgent: String
    private let place: @Sendable (IPAddress, UInt16) throws -> SocketAddress

    /// - Parameters:
    ///   - log: where each step is noted.
    ///   - userAgent: who the servers are told that calls.
    ///   - ownPorts: the ports of this host, which no call reaches.
    ///   - trustRoots: the authorities whose certificates are trusted.
    public init(
        log: AccessLog, userAgent: String, ownPorts: @escaping @Sendable () -> Set<Int>,
        resolver: any NameResolver = SystemResolver(), trustRoots: NIOSSLTrustRoots = .default
    ) {
        self.init(
            log: log, userAgent: userAgent, ownPorts: ownPorts, resolver: resolver,
            trustRoots: trustRoots
        ) {
            try SocketAddress(ipAddress: $0.description, port: Int($1))
        }
    }

    /// - Parameter place: where an address is connected to.
    init(
        log: AccessLog, userAgent: String, ownPorts: @escaping @Sendable () -> Set<Int>,
        resolver: any NameResolver, trustRoots: NIOSSLTrustRoots,
        place: @escaping @Sendable (IPAddress, UInt16) throws -> SocketAddress
    ) {
        self.place = place
        self.log = log
        self.resolver = resolver
        self.userAgent = userAgent
        contexts = TLSContexts(trustRoots: trustRoots)
        rule = AddressRule(ownPorts: ownPorts)
    }

    /// Refuses what no grant opens, before anybody is asked for one.
    ///
    /// - Throws: `addressRefused`, `ownHost`.
    public func check(_ origin: WebOrigin) throws(NetError) {
        try rule.check(origin)
    }

    /// Makes a call and follows where its answers lead.
    ///
    /// - Parameters:
    ///   - grant: of the origin that the request is to.
    ///   - permit: asked before each step that an answer leads to.
    /// - Throws: `NetError`, or what `permit` throws.
    public func answer(
        to request: OutboundRequest, under grant: OriginGrant, _ limits: FetchLimits,
        permit: @escaping @Sendable (WebOrigin) async throws -> OriginGrant
    ) async throws -> OutboundAnswer {
        let late = NetError(
            .tooSlow, "\(grant.origin) did not answer within \(limits.total.components.seconds) s.")
        return try await withThrowingTaskGroup(of: OutboundAnswer.self) { group in
            group.addTask { try await follow(request, grant, limits, permit) }
            group.addTask {
                try await Task.sleep(for: limits.total)
                throw late
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw late }
            return answer
        }
    }

    private func follow(
        _ first: OutboundRequest, _ given: OriginGrant, _ limits: FetchLimits,
        _ permit: @Sendable (WebOrigin) async throws -> OriginGrant
    ) async throws -> OutboundAnswer {
        var (request, grant) = (first, given)
        for step in 0...RedirectRule.limit {
            let answer = try await noted(request, grant, limits)
            let location = answer.headers.first(name: "Location")
            let next = try RedirectRule.next(
                after: request, status: answer.status, location: location)
            guard let next else {
                return OutboundAnswer(
                    status: answer.status, fields: AnswerRules.handedOn(answer.headers),
                    body: answer.body, address: request.address, isRedirected: step > 0)
            }
            try rule.check(next.address.origin)
            grant = try await permit(next.address.origin)
            request = next
        }
        throw NetError(
            .tooManyRedirects,
            "\(first.address.origin) redirects more than \(RedirectRule.limit) times.")
    }

    /// Makes one step, with its lines in the log.
    private func noted(
        _ request: OutboundRequest, _ grant: OriginGrant, _ limits: FetchLimits
    ) async throws -> Exchange.Answer {
        precondition(grant.origin == request.address.origin, "a grant of another origin")
        if !request.body.isEmpty {
            await log.record(
                "fetch-body", for: grant, detail: request.method, bytes: request.body.count)
        }
        do {
            let answer = try await exchange(request, grant, limits)
            await log.record(
                "fetch", for: grant, detail: "\(request.method) \(answer.status)",
                bytes: answer.body.readableBytes)
            return answer
        } catch {
            await log.record(
                "fetch", for: grant, detail: "\(request.method) without an answer", bytes: 0)
            throw error
        }
    }

    private func exchange(
        _ request: OutboundRequest, _ grant: OriginGrant, _ limits: FetchLimits
    ) async throws -> Exchange.Answer {
        let addresses = try await addresses(of: grant.origin, limits)
        let exchange = Exchange(
            request: request, grant: grant, userAgent: userAgent, limits: limits, place: place)
        let context =
            grant.origin.scheme == .https
            ? try await contexts.context(isPinned: grant.pin != nil) : nil
        var result: Result<Exchange.Answer, NetError>?
        for address in addresses.prefix(Self.attempts) {
            try Task.checkCancellation()
            result = await exchange.outcome(at: address, context)
            // Whoever was reached may have had the request: it is not sent twice.
            guard case .failure(let fault) = result, fault.code == .unreachable else { break }
        }
        try Task.checkCancellation()
        guard let answer = try result?.get() else {
            throw NetError(.unknownHost, "\(grant.origin.host) has no address.")
        }
        guard answer.headers["Content-Encoding"].allSatisfy(\.isIdentity) else {
            throw NetError(.answerEncoded, "\(grant.origin) compresses its answer, unasked.")
        }
        return answer
    }

    /// The addresses of an origin that it may lead to; what is connected to is one of these.
    private func addresses(
        of origin: WebOrigin, _ limits: FetchLimits
    ) async throws(NetError) -> [IPAddress] {
        let found: [IPAddress]
        switch origin.host {
        case .address(let address): found = [address]
        // RFC 6761, section 6.3: it is this machine, whoever says otherwise.
        case .name("localhost"): found = [.v4(0x7F00_0001), .v6(1)]
        case .name(let name): found = try await resolver.addresses(of: name, within: limits.total)
        }
        var allowed: [IPAddress] = []
        var refusal: NetError?
        for address in found {
            do throws(NetError) {
                try rule.check(address, of: origin)
                allowed.append(address)
            } catch {
                refusal = refusal ?? error
            }
        }
        guard !allowed.isEmpty else {
            throw refusal ?? NetError(.unknownHost, "\(origin.host) has no address.")
        }
        return allowed
    }
}

extension String {
    fileprivate var isIdentity: Bool {
        lowercased().split(separator: ",").allSatisfy {
            $0.drop { $0 == " " } == "identity"
        }
    }
}
