public import Addresses
import Glibc
import NIOCore
import NIOPosix

/// Looks up the addresses of a host name.
public protocol NameResolver: Sendable {
    /// Returns the addresses of a name, in the order in which to try them.
    ///
    /// - Returns: no address if the name has only those that cannot be used, such as link-local ones
    ///   that need a zone.
    /// - Throws: `unknownHost` when the lookup fails, `timedOut` after `limit`.
    func addresses(of name: String, within limit: Duration) async throws(EgressError) -> [IPAddress]
}

/// The resolver of the operating system, `getaddrinfo`.
public struct SystemResolver: NameResolver {
    /// Separate threads, since a lookup can block for a long time.
    private static let threads: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 4)
        pool.start()
        return pool
    }()

    /// Creates a resolver.
    public init() {}

    public func addresses(
        of name: String, within limit: Duration
    ) async throws(EgressError) -> [IPAddress] {
        let promise = MultiThreadedEventLoopGroup.singleton.any()
            .makePromise(of: Result<[IPAddress], EgressError>.self)
        // `getaddrinfo` cannot be cancelled, so after the limit its result is ignored.
        let timer = promise.futureResult.eventLoop.scheduleTask(in: TimeAmount(limit)) {
            promise.succeed(
                .failure(EgressError(.timedOut, "The address of \(name) was not found in time.")))
        }
        Self.threads.submit { _ in
            promise.succeed(Self.lookUp(name))
        }
        let result: Result<[IPAddress], EgressError>
        do {
            result = try await promise.futureResult.get()
        } catch {
            result = .failure(
                EgressError(.unknownHost, "\(name) could not be looked up.", cause: error))
        }
        timer.cancel()
        return try result.get()
    }

    private static func lookUp(_ name: String) -> Result<[IPAddress], EgressError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        defer { if list != nil { freeaddrinfo(list) } }
        guard code == 0 else {
            return .failure(
                EgressError(
                    .unknownHost,
                    "\(name) has no address: \(String(cString: gai_strerror(code))).",
                    hint: "Check the name and the network."))
        }
        var found: [IPAddress] = []
        var entry = list
        while let current = entry {
            if let address = IPAddress(current.pointee), !found.contains(address) {
                found.append(address)
            }
            entry = current.pointee.ai_next
        }
        return .success(found)
    }
}

extension IPAddress {
    /// - Returns: `nil` for another address family, and for an address that needs a zone.
    fileprivate init?(_ entry: addrinfo) {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(
                entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0,
                NI_NUMERICHOST) == 0
        else { return nil }
        let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        self.init(String(decoding: bytes, as: UTF8.self))
    }
}
