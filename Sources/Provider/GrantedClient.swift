import Addresses
import Auth
import Egress
import NIOCore
import Synchronization

/// Calls servers for clients, each step under an `OriginGrant` and recorded in the access log.
///
/// The routes get this instead of an `OutboundClient`, so that code that forgot to ask for permission
/// does not compile.
///
/// ```swift
/// let response = try await client.send(request, under: grant) { origin in
///     try await authority.checkApp(token: token, name: nil, reaching: origin, isRedirect: true)
/// }
/// ```
struct GrantedClient: Sendable {
    private let client: OutboundClient
    private let log: AccessLog

    init(_ client: OutboundClient, log: AccessLog) {
        (self.client, self.log) = (client, log)
    }

    /// Refuses origins that may not be called even with permission.
    ///
    /// - Throws: `addressRefused`, `ownHost`.
    func check(_ origin: WebOrigin) throws(EgressError) {
        try client.check(origin)
    }

    /// Sends a request and follows redirects.
    ///
    /// - Parameters:
    ///   - grant: for the origin of the request.
    ///   - receiver: takes the last response as it arrives; `nil` to collect its body.
    ///   - permit: checks the permission for the origin of each redirect.
    /// - Throws: `EgressError`, `CancellationError`, or what `permit` and the receiver throw.
    @discardableResult
    func send(
        _ request: OutboundRequest, under grant: OriginGrant,
        _ options: OutboundOptions = OutboundOptions(), to receiver: ResponseReceiver? = nil,
        permit: @escaping @Sendable (WebOrigin) async throws -> OriginGrant
    ) async throws -> OutboundResponse {
        try await client.send(request, options) { step in
            let origin = step.request.address.origin
            let grant = step.isRedirect ? try await permit(origin) : grant
            precondition(grant.origin == origin, "a grant for another origin")
            return try await perform(step, under: grant, to: receiver)
        }
    }

    private func perform(
        _ step: OutboundStep, under grant: OriginGrant, to receiver: ResponseReceiver?
    ) async throws -> OutboundResponse {
        let request = step.request
        if !request.body.isEmpty {
            await log.record(
                "fetch-body", for: grant, detail: request.method, bytes: request.body.count)
        }
        let arrived = Arrived()
        let counting = receiver?.preceded { head in
            arrived.begin(status: head.status)
            guard head.isEventStream else { return }
            // A stream can last for days: the log has it from its beginning.
            await log.record(
                "fetch", for: grant, detail: "\(request.method) \(head.status) stream", bytes: 0)
        } piece: { piece in
            arrived.add(piece.readableBytes)
        }
        do {
            let response = try await step.perform(pin: grant.pin, receiver: counting)
            await log.record(
                "fetch", for: grant, detail: "\(request.method) \(response.status)",
                bytes: response.received)
            return response
        } catch {
            let (status, bytes) = arrived.state
            let detail = status.map { "\($0) incomplete" } ?? "without an answer"
            await log.record(
                "fetch", for: grant, detail: "\(request.method) \(detail)", bytes: bytes)
            throw error
        }
    }

    /// Opens a WebSocket and runs `body`; the connection is closed when it returns.
    ///
    /// - Parameter grant: for the origin of the request.
    /// - Throws: `EgressError`, `CancellationError`, or what `body` throws.
    func webSocket(
        _ request: WebSocketRequest, under grant: OriginGrant,
        _ options: OutboundOptions = OutboundOptions(),
        _ body: @escaping @Sendable (WebSocketConnection) async throws -> WebSocketClosing
    ) async throws {
        precondition(grant.origin == request.address.origin, "a grant for another origin")
        let opened = Opened()
        let ending: Result<WebSocketClosing, any Error>
        do {
            ending = .success(
                try await client.webSocket(request, options, pin: grant.pin) { connection in
                    opened.set(connection)
                    // It can last for days: the log has it from its beginning.
                    await log.record("websocket", for: grant, detail: "open", bytes: 0)
                    return try await body(connection)
                })
        } catch {
            ending = .failure(error)
        }
        if let connection = opened.value, connection.bytesSent > 0 {
            await log.record(
                "websocket-body", for: grant, detail: "messages", bytes: connection.bytesSent)
        }
        let detail =
            switch ending {
            case .success(let closing): "closed \(closing.code)"
            case .failure: opened.value == nil ? "without an answer" : "broken off"
            }
        await log.record(
            "websocket", for: grant, detail: detail, bytes: opened.value?.bytesReceived ?? 0)
        _ = try ending.get()
    }

    /// The connection of a WebSocket, once it is open.
    private final class Opened: Sendable {
        private let connection = Mutex<WebSocketConnection?>(nil)

        var value: WebSocketConnection? { connection.withLock { $0 } }

        func set(_ opened: WebSocketConnection) {
            connection.withLock { $0 = opened }
        }
    }

    /// What has arrived of a response that may end with an error.
    private final class Arrived: Sendable {
        private let count = Mutex<(status: Int?, bytes: Int)>((nil, 0))

        var state: (status: Int?, bytes: Int) { count.withLock { $0 } }

        func begin(status: Int) {
            count.withLock { $0.status = status }
        }

        func add(_ bytes: Int) {
            count.withLock { $0.bytes += bytes }
        }
    }
}
