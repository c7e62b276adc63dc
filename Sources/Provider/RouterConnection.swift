import HTTPTypes
import Hummingbird
import HummingbirdCore
import JSApps
import Logging
import NIOCore

/// The way of the apps that run here: the same router, with nothing in between.
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
        try await receive(
            .head(
                status: UInt16(response.status.code),
                headers: response.headers.map { ($0.name.canonicalName, $0.value) }))
        try await response.body.write(PartWriter(receive: receive))
    }

    /// A part of a call that is not HTTP; who forwards calls has refused it.
    private struct Unsendable: Error {}

    private struct PartWriter: ResponseBodyWriter {
        let receive: @Sendable (HostAnswerPart) async throws -> Void

        func write(_ buffer: ByteBuffer) async throws {
            try Task.checkCancellation()
            try await receive(.body(Array(buffer.readableBytesView)))
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
