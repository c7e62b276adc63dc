public import Addresses
import Glibc
import NIOCore
import NIOPosix

/// Asks the machine's own resolver, as its other programs do.
public struct SystemResolver: NameResolver {
    /// A resolver that hangs must not hold up those who read files.
    private static let threads: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 4)
        pool.start()
        return pool
    }()

    public init() {}

    public func addresses(
        of name: String, within limit: Duration
    ) async throws(NetError) -> [IPAddress] {
        let promise = MultiThreadedEventLoopGroup.singleton.any()
            .makePromise(of: Result<[IPAddress], NetError>.self)
        // The call cannot be interrupted, but it need not be waited for.
        let timer = promise.futureResult.eventLoop.scheduleTask(in: TimeAmount(limit)) {
            promise.succeed(
                .failure(NetError(.tooSlow, "The address of \(name) was not found in time.")))
        }
        Self.threads.submit { _ in
            promise.succeed(Self.lookUp(name))
        }
        let result: Result<[IPAddress], NetError>
        do {
            result = try await promise.futureResult.get()
        } catch {
            result = .failure(
                NetError(.unknownHost, "\(name) could not be looked up.", cause: error))
        }
        timer.cancel()
        return try result.get()
    }

    private static func lookUp(_ name: String) -> Result<[IPAddress], NetError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        defer { if list != nil { freeaddrinfo(list) } }
        guard code == 0 else {
            return .failure(
                NetError(
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
    /// - Returns: `nil` for an address of another family, and for one that needs a zone.
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
