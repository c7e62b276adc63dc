public import Addresses
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Scheduling

/// A request for a WebSocket.
public struct WebSocketRequest: Hashable, Sendable {
    /// The maximum number of subprotocols.
    private static let protocolLimit = 32

    /// The URL with the scheme `http` or `https`: the origin is the one that must be permitted.
    public let address: WebAddress
    /// The subprotocols from which the server chooses one.
    public let protocols: [String]

    /// Creates the request of an app.
    ///
    /// - Parameters:
    ///   - url: a URL with the scheme `ws`, `wss`, `http` or `https`.
    ///   - protocols: different names of subprotocols.
    /// - Returns: `nil` for an invalid URL.
    /// - Throws: `invalidRequest` for invalid, repeated or too many subprotocols.
    public init?(_ url: String, protocols: [String] = []) throws(EgressError) {
        let scheme = url.prefix(6).lowercased()
        let text =
            scheme.hasPrefix("wss://")
            ? "https://\(url.dropFirst(6))"
            : scheme.hasPrefix("ws://") ? "http://\(url.dropFirst(5))" : url
        guard let address = WebAddress(text) else { return nil }
        guard protocols.count <= Self.protocolLimit, Set(protocols).count == protocols.count,
            protocols.allSatisfy({ HeaderField($0, "").isValid && $0.utf8.count <= 256 })
        else {
            throw EgressError(
                .invalidRequest,
                "The subprotocols must be at most \(Self.protocolLimit) different tokens.")
        }
        self.address = address
        self.protocols = protocols
    }
}

/// The opening handshake of a WebSocket with an address that was checked: RFC 6455, section 4.
struct WebSocketExchange: Sendable {
    let request: WebSocketRequest
    let step: OutboundStep
    let client: OutboundClient
    let pin: CertificatePin?
    /// For a TLS connection; `nil` for plain HTTP.
    let context: NIOSSLContext?
    let limits: WebSocketLimits
    let time: any TimeSource

    /// A channel with TLS, and without any further handler.
    private struct Transport: Sendable {
        let channel: any Channel
        let isSecure: EventLoopFuture<Void>
    }

    private enum Outcome: Sendable {
        case open(WebSocketConnection.Frames, subprotocol: String)
        case refused
    }

    /// - Throws: `unreachable` only while nothing has been sent; other errors afterwards, and what `body`
    ///   throws.
    func run<T: Sendable>(
        at address: IPAddress,
        _ body: @Sendable (WebSocketConnection) async throws -> T
    ) async throws -> T {
        let transport: Transport
        do {
            transport = try await connect(to: address)
        } catch {
            throw EgressError.connecting(error, to: step.server)
        }
        let (frames, subprotocol) = try await open(transport)
        step.deadline.lift()
        return try await frames.executeThenClose { inbound, outbound in
            try await body(
                WebSocketConnection(
                    frames.channel, inbound, outbound, subprotocol: subprotocol, limits: limits,
                    server: step.server, time: time))
        }
    }

    private func connect(to address: IPAddress) async throws -> Transport {
        let (origin, options) = (step.request.address.origin, step.options)
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(options.connecting))
            .connect(to: try client.connect(address, origin.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    Transport(
                        channel: channel,
                        isSecure: try ServerConnection.secure(
                            channel, to: origin.host, pin: pin, context: context,
                            handshakeLimit: TimeAmount(options.connecting)))
                }
            }
    }

    private func open(
        _ transport: Transport
    ) async throws -> (WebSocketConnection.Frames, subprotocol: String) {
        let channel = transport.channel
        do {
            // A future cannot be cancelled, but ends with its channel.
            let outcome = try await withTaskCancellationHandler {
                try await transport.isSecure.get()
                return try await channel.eventLoop.flatSubmit { upgrade(channel) }.get()
            } onCancel: {
                channel.close(promise: nil)
            }
            switch outcome {
            case .open(let frames, let subprotocol): return (frames, subprotocol)
            case .refused:
                throw EgressError(
                    .invalidResponse, "\(step.server) did not accept the WebSocket.",
                    hint: "Check the address and the subprotocols.")
            }
        } catch {
            channel.close(promise: nil)
            try Task.checkCancellation()
            throw EgressError.exchanging(error, with: step.server, isPinned: pin != nil)
        }
    }

    private func upgrade(_ channel: any Channel) -> EventLoopFuture<Outcome> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Outcome>(
            maxFrameSize: limits.message, enableAutomaticErrorHandling: false
        ) { channel, head in
            channel.eventLoop.makeCompletedFuture {
                let subprotocol = try subprotocol(in: head)
                // A frame can be as large as a message.
                let frames = try WebSocketConnection.Frames(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(
                        backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2)))
                return .open(frames, subprotocol: subprotocol)
            }
        }
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: head, upgraders: [upgrader]
            ) { channel in channel.eventLoop.makeSucceededFuture(.refused) })
        // The server may send its first message together with its response.
        configuration.leftOverBytesStrategy = .forwardBytes
        configuration.decoderConfiguration = ServerConnection.headerLimits
        do {
            return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                configuration: configuration)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    private var head: HTTPRequestHead {
        var headers = HTTPHeaders(to: request.address.origin, userAgent: client.userAgent)
        headers.remove(name: "Connection")
        headers.remove(name: "Accept-Encoding")
        if !request.protocols.isEmpty {
            headers.add(
                name: "Sec-WebSocket-Protocol", value: request.protocols.joined(separator: ", "))
        }
        return HTTPRequestHead(
            version: .http1_1, method: .GET, uri: request.address.target, headers: headers)
    }

    /// The subprotocol that the server has chosen; empty for none.
    ///
    /// - Throws: `invalidResponse` for one that was not offered, for none if some were offered, and for
    ///   extensions.
    private func subprotocol(in head: HTTPResponseHead) throws(EgressError) -> String {
        let chosen = head.headers["Sec-WebSocket-Protocol"]
        let isValid =
            request.protocols.isEmpty
            ? chosen.isEmpty : chosen.count == 1 && request.protocols.contains(chosen[0])
        guard isValid, head.headers["Sec-WebSocket-Extensions"].isEmpty else {
            throw EgressError(
                .invalidResponse,
                "\(step.server) chose a subprotocol or an extension that was not offered, or none.")
        }
        return chosen.first ?? ""
    }
}
