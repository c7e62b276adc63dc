import Addresses
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Payloads
import Transport

/// One GET request and its answer, on a connection of their own.
struct PollExchange: Sendable {
    /// A header field of the request.
    struct Field: Hashable, Sendable {
        let name: String
        let value: String
    }

    private static let headerLimits: NIOHTTPDecoderLimitConfiguration = {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8 << 10
        limits.maxHeaderListSize = 32 << 10
        limits.maxHeaderFieldCount = 128
        return limits
    }()

    let address: WebAddress
    let fields: [Field]
    let pin: CertificatePin?
    let contexts: TLSContexts

    private typealias Parts = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private struct Connection {
        let parts: Parts
        let isSecure: EventLoopFuture<Void>
    }

    /// The body of a good answer.
    ///
    /// - Parameter patience: how long all of it may take.
    /// - Throws: ``ConnectorError`` for no answer, one that is too late, too large or none that is good;
    ///   `CancellationError`.
    func body(within patience: Duration) async throws -> [UInt8] {
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            group.addTask { try await exchanged(within: patience) }
            group.addTask {
                try await Task.sleep(for: patience)
                throw ConnectorError("\(address.origin) did not answer in time.")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }

    private func exchanged(within patience: Duration) async throws -> [UInt8] {
        let connection: Connection
        do {
            connection = try await connected(within: TimeAmount(patience))
        } catch {
            try Task.checkCancellation()
            throw ConnectorError(
                "\(address.origin) cannot be reached; is it on, and the URL right?")
        }
        do {
            return try await connection.parts.executeThenClose { inbound, outbound in
                try await connection.isSecure.get()
                try await outbound.write(contentsOf: [.head(head), .end(nil)])
                return try await body(of: inbound)
            }
        } catch {
            try Task.checkCancellation()
            throw explained(error)
        }
    }

    private func connected(within patience: TimeAmount) async throws -> Connection {
        let context =
            address.origin.scheme == .https
            ? try await contexts.context(isPinned: pin != nil) : nil
        let host =
            switch address.origin.host {
            case .name(let name): name
            case .address(let address): "\(address)"
            }
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(patience)
            .channelOption(.autoRead, value: false)
            .connect(host: host, port: Int(address.origin.port)).get()
        // A name may have several addresses, and of those that lose the race nothing may be left: only
        // the one that is connected is set up, and nothing is read before.
        return try await channel.eventLoop.submit {
            do {
                let connection = try setUp(channel, context, patience)
                channel.setOption(.autoRead, value: true).whenFailure { _ in }
                return connection
            } catch {
                channel.close(promise: nil)
                throw error
            }
        }.get()
    }

    private func setUp(
        _ channel: any Channel, _ context: NIOSSLContext?, _ patience: TimeAmount
    ) throws -> Connection {
        let pipeline = channel.pipeline.syncOperations
        let secure = try context.map {
            try NIOSSLClientHandler.checking(address.origin.host, pin: pin, with: $0)
        }
        let isSecure = channel.eventLoop.makePromise(of: Void.self)
        if let secure {
            try pipeline.addHandler(HandshakeWatch(isSecure, patience: patience))
            try pipeline.addHandler(secure, position: .first)
        } else {
            isSecure.succeed()
        }
        try pipeline.addHTTPClientHandlers(
            enableOutboundHeaderValidation: true, encoderConfiguration: .init(),
            decoderLimitConfiguration: Self.headerLimits)
        let parts = try Parts(wrappingChannelSynchronously: channel)
        return Connection(parts: parts, isSecure: isSecure.futureResult)
    }

    private var head: HTTPRequestHead {
        var headers = HTTPHeaders()
        let origin = address.origin
        let port = origin.port == origin.scheme.port ? "" : ":\(origin.port)"
        headers.add(name: "Host", value: "\(origin.host)\(port)")
        headers.add(name: "User-Agent", value: "Nervous")
        headers.add(name: "Connection", value: "close")
        headers.add(name: "Accept-Encoding", value: "identity")
        for field in fields { headers.replaceOrAdd(name: field.name, value: field.value) }
        if headers["Accept"].isEmpty { headers.add(name: "Accept", value: "*/*") }
        return HTTPRequestHead(
            version: .http1_1, method: .GET, uri: address.target, headers: headers)
    }

    private func body(
        of inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>
    ) async throws -> [UInt8] {
        var body: [UInt8] = []
        for try await part in inbound {
            switch part {
            case .head(let head): try check(head)
            case .body(let piece):
                guard body.count + piece.readableBytes <= PayloadReader.limit else {
                    throw tooLarge
                }
                body += piece.readableBytesView
            case .end: return body
            }
        }
        throw ConnectorError("\(address.origin) broke off before its answer was whole.")
    }
}
