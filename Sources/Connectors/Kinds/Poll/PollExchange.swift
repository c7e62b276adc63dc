import Addresses
import Egress
import Ingest
import NIOCore
import NIOHTTP1
import NIOPosix

/// One GET request and its answer, on a connection of their own.
struct PollExchange: Sendable {
    /// A header field of the request.
    struct Field: Hashable, Sendable {
        let name: String
        let value: String
    }

    let address: WebAddress
    let fields: [Field]
    let pin: CertificatePin?
    let contexts: TLSContexts

    /// The body of a good answer.
    ///
    /// - Parameter patience: how long all of it may take.
    /// - Throws: ``ConnectorError`` for no answer, one that is too late, too large or none that is good;
    ///   `CancellationError`.
    func body(within patience: Duration) async throws -> [UInt8] {
        let late = ConnectorError("\(address.origin) did not answer in time.")
        return try await TimeLimit(patience, else: late).hold {
            try await exchanged(within: patience)
        }
    }

    private func exchanged(within patience: Duration) async throws -> [UInt8] {
        let connection: ServerConnection
        do {
            connection = try await connected(within: TimeAmount(patience))
        } catch {
            try Task.checkCancellation()
            throw ConnectorError(
                "\(address.origin) cannot be reached; is it on, and the URL right?")
        }
        do {
            return try await connection.parts.executeThenClose { inbound, outbound in
                try await connection.secured()
                try await outbound.write(contentsOf: [.head(head), .end(nil)])
                return try await body(of: inbound)
            }
        } catch {
            try Task.checkCancellation()
            throw explained(error)
        }
    }

    private func connected(within patience: TimeAmount) async throws -> ServerConnection {
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
                let connection = try ServerConnection(
                    on: channel, to: address.origin.host, pin: pin, with: context,
                    patience: patience)
                channel.setOption(.autoRead, value: true).whenFailure { _ in }
                return connection
            } catch {
                channel.close(promise: nil)
                throw error
            }
        }.get()
    }

    private var head: HTTPRequestHead {
        var headers = HTTPHeaders(asking: address.origin, as: "Nervous")
        for field in fields { headers.replaceOrAdd(name: field.name, value: field.value) }
        headers.acceptAnything()
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
