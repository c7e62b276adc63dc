import AppRuns
import Auth
import Egress
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// The connection of runs to the router, without a network.
struct RouterConnection: HostConnection {
    let responder: RouterResponder<ProviderContext>
    let logger: Logger

    func send(
        _ call: HostCall, receive: @escaping @Sendable (HostAnswerPart) async throws -> Void
    ) async throws {
        guard let method = HTTPRequest.Method(call.method) else { throw Unsendable() }
        var head = HTTPRequest(
            method: method, scheme: "http", authority: call.host, path: call.target)
        for (name, value) in call.headers {
            guard let name = HTTPField.Name(name) else { throw Unsendable() }
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        let request = Request(
            head: head, body: RequestBody(buffer: ByteBuffer(bytes: call.body)))
        let response = try await responder.respond(
            to: request, context: ProviderContext(ofRunner: logger))
        let status = UInt16(response.status.code)
        let headers = response.headers.map { ($0.name.canonicalName, $0.value) }
        if let length = response.body.contentLength, length <= Self.wholeLimit {
            let whole = WholeBody()
            try await response.body.write(whole)
            try await receive(.whole(status: status, headers: headers, body: whole.bytes))
        } else {
            try await receive(.head(status: status, headers: headers))
            do {
                try await response.body.write(PartWriter(receive: receive))
            } catch let error as EgressError {
                throw InterruptedAnswer(reason: error.message)
            } catch let error as AuthError {
                throw InterruptedAnswer(reason: error.message)
            }
            try await receive(.end)
        }
    }

    /// The maximum number of bytes of a response that is forwarded as a whole.
    private static let wholeLimit = 64 << 10

    /// A part of a call is not valid HTTP; the forwarder refuses such calls earlier.
    private struct Unsendable: Error {}

    private final class WholeBody: ResponseBodyWriter {
        private(set) var bytes: [UInt8] = []

        func write(_ buffer: ByteBuffer) async throws {
            bytes.append(contentsOf: buffer.readableBytesView)
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    private struct PartWriter: ResponseBodyWriter {
        let receive: @Sendable (HostAnswerPart) async throws -> Void

        func write(_ buffer: ByteBuffer) async throws {
            var rest = buffer
            while let piece = rest.readSlice(length: min(rest.readableBytes, wholeLimit)),
                piece.readableBytes > 0
            {
                try Task.checkCancellation()
                try await receive(.body(Array(piece.readableBytesView)))
            }
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
