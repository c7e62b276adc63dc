import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import Text

/// Several calls in one: each goes through the router as if it had been sent alone.
struct BatchRoutes {
    /// The responder of the router, which exists only after all routes were added.
    final class Target: Sendable {
        private let responder = Mutex<RouterResponder<ProviderContext>?>(nil)

        func set(_ responder: RouterResponder<ProviderContext>) {
            self.responder.withLock { $0 = responder }
        }

        fileprivate func respond(
            to request: Request, _ context: ProviderContext
        ) async throws -> Response {
            guard let responder = responder.withLock({ $0 }) else {
                throw Problem(.busy, "The host is starting.")
            }
            return try await responder.respond(to: request, context: context)
        }
    }

    /// The maximum number of bytes of a batch.
    static let byteLimit = 1 << 20
    /// The fields that a call of a batch has in common with it, because the middleware checks them.
    private static let inherited: [HTTPField.Name] = [
        .authorization, .origin, .fetchSite, .fetchMode, .fetchDestination,
    ]
    /// The fields that a call of a batch may have of its own, by their names in lower case.
    private static let allowed = [
        "accept": HTTPField.Name.accept, "idempotency-key": .idempotencyKey,
        "if-match": .ifMatch, "if-none-match": .ifNoneMatch,
    ]
    private static let methods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete,
    ]

    let authorizer: RequestAuthorizer

    /// - Parameter target: gets the responder that the routes become part of, so they must not retain it.
    func add(to routes: inout RouteTable, target: Target) {
        routes.on(
            .batch,
            [
                .post: { [weak target] request, context in
                    guard let target else { throw Problem(.busy, "The host is stopping.") }
                    return try await batch(request, context, target)
                }
            ])
    }

    private func batch(
        _ request: Request, _ context: ProviderContext, _ target: Target
    ) async throws -> Response {
        // A batch with a wrong token counts as one attempt, and not as one for each call.
        _ = try await authorizer.client("batch", request, context)
        try request.checkJSON()
        let bytes = try await request.bytes(upTo: Self.byteLimit)
        let calls = try Self.calls(in: bytes)
        var answer = ByteBuffer()
        var room = BatchRequest.answerLimit
        answer.writeString(#"{"items":["#)
        for (index, call) in calls.enumerated() {
            try Task.checkCancellation()
            if index > 0 { answer.writeString(",") }
            let part = try await part(call, of: request, context, target, room: room)
            room -= part.body.utf8.count
            part.write(to: &answer)
        }
        answer.writeString("]}")
        return .json(answer)
    }

    // MARK: - Reading

    /// A call of a batch, with a form that was checked.
    private struct PartCall {
        let method: HTTPRequest.Method
        let path: String
        let fields: [(HTTPField.Name, String)]
        let body: ByteBuffer?
    }

    /// - Throws: `Problem` that names the call.
    private static func calls(in bytes: [UInt8]) throws -> [PartCall] {
        let json: JSONValue
        do {
            json = try StrictJSON(maximumBytes: byteLimit).parse(bytes)
        } catch {
            throw Problem.invalidBody("\(error)")
        }
        guard json.object?.map(\.key) == ["calls"], let items = json["calls"]?.array,
            (1...BatchRequest.callLimit).contains(items.count)
        else {
            throw Problem.invalidBody(
                "calls is a list of 1 to \(BatchRequest.callLimit) calls, and the only member.")
        }
        return try items.enumerated().map { index, item in
            do throws(FormError) {
                return try call(item)
            } catch {
                throw Problem.invalidBody("calls[\(index)]: \(error.message)")
            }
        }
    }

    private struct FormError: Error {
        let message: String
    }

    private static func call(_ item: JSONValue) throws(FormError) -> PartCall {
        let known = ["method", "path", "headers", "body"]
        guard let members = item.object, members.allSatisfy({ known.contains($0.key) }) else {
            throw FormError(message: "a call has the members \(known.joined(separator: ", ")).")
        }
        let name = item["method"].map { $0.string ?? "" } ?? "GET"
        guard let method = methods.first(where: { $0.rawValue == name }) else {
            throw FormError(
                message: "method is one of \(methods.map(\.rawValue).joined(separator: ", ")).")
        }
        guard let path = item["path"]?.string, path.hasPrefix("/"),
            path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else {
            throw FormError(message: "path is an absolute path such as /api/v1/sensors.")
        }
        if let reason = refusal(of: path) { throw FormError(message: reason) }
        var fields: [(HTTPField.Name, String)] = []
        if let headers = item["headers"] {
            for member in headers.object ?? [] {
                guard let field = allowed[member.key.lowercased()], let value = member.value.string,
                    HTTPField.isValidValue(value)
                else { throw FormError(message: "headers may have \(allowedNames).") }
                fields.append((field, value))
            }
            guard headers.object != nil else {
                throw FormError(message: "headers may have \(allowedNames).")
            }
        }
        return PartCall(
            method: method, path: path, fields: fields,
            body: item["body"].map { ByteBuffer(string: $0.text()) })
    }

    private static var allowedNames: String { allowed.keys.sorted().joined(separator: ", ") }

    /// Why a path cannot be called in a batch; `nil` when it can.
    private static func refusal(of path: String) -> String? {
        let bare = String(path.prefix { $0 != "?" })
        let decoded = bare.removingPercentEncoding ?? bare
        let prefixes = ["/api/", "/nervous-api/", "/nervousnet-api/"]
        guard prefixes.contains(where: decoded.hasPrefix) else {
            return "only calls of the API can be part of a batch, and no files."
        }
        let segments = decoded.split(separator: "/")
        if segments == ["api", "v1", "batch"] { return "a batch cannot contain a batch." }
        if segments.last == "stream" { return streamRefusal }
        guard segments.starts(with: ["api", "v1"]), segments.count > 2,
            ["fetch", "websockets"].contains(segments[2])
        else { return nil }
        return "calls to other servers cannot be part of a batch."
    }

    private static let streamRefusal = "an event stream cannot be part of a batch."

    // MARK: - Answering

    private func part(
        _ call: PartCall, of request: Request, _ context: ProviderContext, _ target: Target,
        room: Int
    ) async throws -> PartAnswer {
        var head = HTTPRequest(
            method: call.method, scheme: request.head.scheme, authority: request.head.authority,
            path: call.path)
        for name in Self.inherited {
            if let value = request.headers[name] { head.headerFields[name] = value }
        }
        for (name, value) in call.fields { head.headerFields[name] = value }
        if let body = call.body {
            head.headerFields[.contentType] = "application/json"
            head.headerFields[.contentLength] = String(body.readableBytes)
        }
        let response = try await target.respond(
            to: Request(head: head, body: RequestBody(buffer: call.body ?? ByteBuffer())),
            ProviderContext(ofPart: context))
        let type = response.headers[.contentType] ?? ""
        guard !type.hasPrefix("text/event-stream") else {
            return PartAnswer(Problem(.notAcceptable, Self.streamRefusal))
        }
        let writer = Collector(room: room)
        do {
            try await response.body.write(writer)
        } catch is Collector.Overflow {
            return PartAnswer(
                Problem(
                    .tooLarge,
                    "The answers of the batch have more than \(BatchRequest.answerLimit) bytes.",
                    fix: "Make fewer calls at once, or this call alone."))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // For instance, a permission ended while the answer was written.
            return PartAnswer(Problem(error, logger: context.logger))
        }
        var headers = response.headers
        for field in writer.trailers { headers.append(field) }
        guard !type.hasPrefix("application/vnd.nervous.columns"),
            let text = String(validating: writer.body.readableBytesView, as: UTF8.self)
        else {
            return PartAnswer(
                Problem(.notAcceptable, "The answer is binary, and cannot be part of a batch."))
        }
        return PartAnswer(status: response.status.code, headers: headers, body: text)
    }

    private final class Collector: ResponseBodyWriter {
        struct Overflow: Error {}

        private(set) var body = ByteBuffer()
        private(set) var trailers = HTTPFields()
        private let room: Int

        init(room: Int) {
            self.room = room
        }

        func write(_ buffer: ByteBuffer) async throws {
            guard body.readableBytes + buffer.readableBytes <= room else { throw Overflow() }
            body.writeImmutableBuffer(buffer)
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {
            trailers = trailingHeaders ?? HTTPFields()
        }
    }
}

/// The answer to a call of a batch.
private struct PartAnswer {
    let status: Int
    let headers: HTTPFields
    let body: String

    init(status: Int, headers: HTTPFields, body: String) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    init(_ problem: Problem) {
        var headers = problem.headers
        headers[.contentType] = "application/problem+json"
        self.init(
            status: problem.status.code, headers: headers,
            body: String(decoding: problem.encoded(), as: UTF8.self))
    }

    /// Writes the answer as JSON: `body` for JSON, and `text` for other text.
    func write(to buffer: inout ByteBuffer) {
        buffer.writeString(#"{"status":\#(status),"headers":{"#)
        var written: [HTTPField.Name] = [.contentLength]
        for field in headers where !written.contains(field.name) {
            if written.count > 1 { buffer.writeString(",") }
            written.append(field.name)
            buffer.writeJSON(field.name.canonicalName)
            buffer.writeString(":")
            // Fields of equal names are joined, as RFC 9110, section 5.3, permits.
            buffer.writeJSON(headers[field.name] ?? field.value)
        }
        buffer.writeString("}")
        if !body.isEmpty {
            let type = headers[.contentType] ?? ""
            if type.hasPrefix("application/json") || type.hasPrefix("application/problem+json") {
                buffer.writeString(#","body":"#)
                buffer.writeString(body)
            } else {
                buffer.writeString(#","text":"#)
                buffer.writeJSON(body)
            }
        }
        buffer.writeString("}")
    }
}
