package import API
package import Foundation
import NIOCore
import NIOHTTP1
import Scheduling

/// Sends requests of the API over the control socket of a host.
package struct ControlTransport: APITransport {
    private static let timeLimit = Duration.seconds(60)
    private static let largestBody = 1 << 30

    private let socket: String

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
        return try await body(APIClient(ControlTransport(socket: socket)))
    }

    private init(socket: String) {
        self.socket = socket
    }

    package func send(_ request: APIRequest) async throws -> APIResponse {
        guard request.hasTimeLimit else { return try await response(to: request) }
        return try await withTimeLimit(Self.timeLimit, throwing: Self.tooSlow) {
            try await response(to: request)
        }
    }

    package func lines(
        for request: APIRequest
    ) async throws -> any AsyncSequence<Data, any Error> & Sendable {
        let exchange = try await exchange(request)
        guard exchange.head.status == .ok else {
            let body = Data(try await exchange.body.collect(upTo: 1 << 20).readableBytesView)
            throw APIError(status: Int(exchange.head.status.code), body: body)
        }
        return LineSequence(body: exchange.body)
    }

    private func response(to request: APIRequest) async throws -> APIResponse {
        let exchange = try await exchange(request)
        let body = try await exchange.body.collect(upTo: Self.largestBody)
        return APIResponse(
            status: Int(exchange.head.status.code),
            headers: exchange.head.headers.map { (name: $0.name, value: $0.value) },
            body: Data(body.readableBytesView))
    }

    private func exchange(_ request: APIRequest) async throws -> ControlExchange {
        var headers: HTTPHeaders = ["Host": "localhost"]
        for (name, value) in request.headers { headers.add(name: name, value: value) }
        if request.method != .get {
            headers.add(name: "Content-Length", value: String(request.body?.count ?? 0))
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: request.method.rawValue),
            uri: request.target, headers: headers)
        return try await ControlExchange(socket: socket, head, body: request.body)
    }

    private static let tooSlow = CommandFailure(
        .unavailable, "The host did not answer within \(timeLimit.components.seconds) seconds.",
        hint: "See what it does: nervous status, or its log.")
}

/// The lines of a response, without their line breaks, as they arrive.
private struct LineSequence: AsyncSequence, Sendable {
    /// The longest line of the host is the document of a page with every character escaped.
    private static let longest = 8 << 20

    let body: ControlExchange.Body

    func makeAsyncIterator() -> Iterator { Iterator(pieces: body.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        private let pieces: ControlExchange.Body.AsyncIterator
        private var buffer = ByteBuffer()

        init(pieces: ControlExchange.Body.AsyncIterator) {
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
