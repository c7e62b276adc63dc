package import API
import AsyncHTTPClient
package import Foundation
import NIOCore
import NIOHTTP1
import Provider

/// Sends requests of the API over the control socket of a host.
package struct ControlTransport: APITransport {
    private static let timeout = TimeAmount.seconds(60)

    private let socket: String
    private let client: HTTPClient

    /// Runs `body` with a client of the host at a socket.
    ///
    /// - Throws: `CommandFailure` if another user listens at the socket, or could have put it there; then
    ///   nothing is sent.
    package static func with<T: Sendable>(
        socket: String, _ body: @Sendable (APIClient) async throws -> T
    ) async throws -> T {
        guard try RuntimeFolder(of: socket).exists() else {
            throw CommandFailure(.unavailable, "No host listens at \(socket).")
        }
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: configuration(for: socket))
        do {
            let transport = ControlTransport(socket: socket, client: client)
            let result = try await body(APIClient(transport))
            try await client.shutdown()
            return result
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    /// A configuration that checks who listens at the socket.
    ///
    /// The `DebugInitializer` is not only for debugging: the client sends nothing before it succeeds.
    private static func configuration(for socket: String) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.http1_1ConnectionDebugInitializer = { channel in
            PeerCredentials.of(channel).flatMap { peer in
                guard peer.user != geteuid() else {
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                let failure = RuntimeFolder.foreign(peer: peer.user, at: socket)
                return channel.close().flatMapThrowing { throw failure }
            }
        }
        return configuration
    }

    private init(socket: String, client: HTTPClient) {
        self.socket = socket
        self.client = client
    }

    package func send(_ request: APIRequest) async throws -> APIResponse {
        let deadline = request.hasTimeLimit ? .now() + Self.timeout : NIODeadline.distantFuture
        let response = try await client.execute(http(request), deadline: deadline)
        let bytes = try await response.body.collect(upTo: 1 << 30)
        return APIResponse(
            status: Int(response.status.code),
            headers: response.headers.map { (name: $0.name, value: $0.value) },
            body: Data(bytes.readableBytesView))
    }

    package func lines(
        for request: APIRequest
    ) async throws -> any AsyncSequence<Data, any Error> & Sendable {
        let response = try await client.execute(http(request), deadline: .distantFuture)
        guard response.status == .ok else {
            let body = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
            throw APIError(status: Int(response.status.code), body: body)
        }
        return LineSequence(body: response.body)
    }

    private func http(_ request: APIRequest) -> HTTPClientRequest {
        let authority = APIPath.encoded(socket)
        var http = HTTPClientRequest(url: "http+unix://\(authority)\(request.target)")
        http.method = HTTPMethod(rawValue: request.method.rawValue)
        http.headers.add(name: "Host", value: "localhost")
        for (name, value) in request.headers { http.headers.add(name: name, value: value) }
        if let body = request.body { http.body = .bytes(body) }
        return http
    }
}

/// The lines of a response, without their line breaks, as they arrive.
private struct LineSequence: AsyncSequence, Sendable {
    /// The longest line of the host is the document of a page with every character escaped.
    private static let longest = 8 << 20

    let body: HTTPClientResponse.Body

    func makeAsyncIterator() -> Iterator { Iterator(pieces: body.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        private var pieces: HTTPClientResponse.Body.AsyncIterator
        private var buffer = ByteBuffer()

        init(pieces: HTTPClientResponse.Body.AsyncIterator) {
            self.pieces = pieces
        }

        mutating func next() async throws -> Data? {
            while true {
                let view = buffer.readableBytesView
                if let end = view.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Data(view[..<end])
                    buffer.moveReaderIndex(forwardBy: line.count + 1)
                    return line
                }
                guard view.count <= longest else {
                    throw CommandFailure(.remote, "The host sent a line that is too long.")
                }
                guard var piece = try await pieces.next() else { return nil }
                buffer.discardReadBytes()
                buffer.writeBuffer(&piece)
            }
        }
    }
}
