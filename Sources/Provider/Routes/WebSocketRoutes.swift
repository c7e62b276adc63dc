import API
import Addresses
import AppRuns
import Auth
import Crypto
import Egress
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Text

/// WebSockets of apps with other servers.
///
/// A WebSocket is a stream of events, which lasts as long as the connection, and calls that send messages.
struct WebSocketRoutes {
    /// The maximum number of bytes of the messages of one call.
    private static let bodyLimit = 2 << 20

    let authorizer: RequestAuthorizer
    let outbound: GrantedClient
    let budget: @Sendable (String) -> FetchBudget
    let limiter: CallLimiter
    /// The longest silence of the stream, and how often the permission is checked meanwhile.
    let heartbeat: Duration
    private let table = WebSocketTable()

    init(
        authorizer: RequestAuthorizer, outbound: GrantedClient,
        budget: @escaping @Sendable (String) -> FetchBudget, limiter: CallLimiter,
        heartbeat: Duration
    ) {
        (self.authorizer, self.outbound, self.budget) = (authorizer, outbound, budget)
        (self.limiter, self.heartbeat) = (limiter, heartbeat)
    }

    func add(to routes: inout RouteTable) {
        routes.on(.webSockets, [.post: open])
        routes.on(.webSocket("{socket}"), [.delete: close])
        routes.on(.messages(ofWebSocket: "{socket}"), [.post: send])
    }

    // MARK: - Opening

    private struct Opening: Decodable {
        let url: String
        let protocols: [String]?
    }

    /// Returns what the server sends, as events.
    @Sendable
    private func open(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("websocket", request, context)
        var whole = request
        let opening = try await whole.reusableJSON(Opening.self)
        let request = whole
        guard let wanted = try WebSocketRequest(opening.url, protocols: opening.protocols ?? [])
        else { throw Self.invalidAddress }
        let origin = wanted.address.origin
        try outbound.check(origin)
        let grant = try await authorizer.grant(reaching: origin, request, context)
        let budget = budget(client.name)
        let relay = Relay<Void> { output in
            try await limiter.withCall(of: client.name, CallLimits(budget)) { call in
                try await call.become(.webSocket)
                try await outbound.webSocket(wanted, under: grant, OutboundOptions(budget)) {
                    try await passOn($0, of: client, to: origin, output, request, context)
                }
            }
        }
        try await relay.head()
        return Response.events { writer in
            try await request.whileConnected(context) {
                do {
                    try await relay.write(to: &writer)
                } catch let error as AuthError {
                    try await writer.write(StreamEvent.problem(Problem(error)))
                }
            } onDisconnect: {
                relay.cancel()
            }
        }.endingConnection(context)
    }

    /// Sends what happens on a connection as events, while the permission holds.
    private func passOn(
        _ connection: WebSocketConnection, of client: Client, to origin: WebOrigin,
        _ output: Relay<Void>.Output, _ request: Request, _ context: ProviderContext
    ) async throws -> WebSocketClosing {
        let id = await table.add(connection, of: client, to: origin)
        do {
            try await output.send(())
            try await output.send(StreamEvent.opened(id, connection.subprotocol))
            let closing = try await whileChecking(every: heartbeat) {
                try await authorizer.recheck(reaching: origin, request, context)
                if context.transport != .runner { try await output.send(StreamEvent.heartbeat) }
            } _: {
                try await connection.receive { message in
                    try await authorizer.recheck(reaching: origin, request, context)
                    try await output.send(StreamEvent.message(message))
                }
            }
            await table.remove(id)
            try await output.send(StreamEvent.closed(closing))
            return closing
        } catch {
            await table.remove(id)
            throw error
        }
    }

    // MARK: - Sending

    @Sendable
    private func send(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("websocket-body", request, context)
        let (connection, origin) = try await table.connection(
            context.required("socket"), of: client)
        let bytes = try await request.bytes(upTo: Self.bodyLimit)
        let messages = try Self.messages(bytes, request.mediaType)
        try await authorizer.recheck(reaching: origin, request, context)
        for message in messages { try await connection.send(message) }
        return Response(status: .noContent)
    }

    private static func messages(
        _ bytes: [UInt8], _ type: String?
    ) throws -> [WebSocketMessage] {
        let messages: [WebSocketMessage]
        switch type {
        case Response.linesType:
            messages = try bytes.split(separator: UInt8(ascii: "\n")).map(message)
        case "application/octet-stream": messages = [.binary(ByteBuffer(bytes: bytes))]
        case "text/plain":
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Problem.invalidBody("The text is not UTF-8.")
            }
            messages = [.text(text)]
        default:
            throw Problem(
                .unsupportedMediaType,
                "Only \(Response.linesType), text/plain and application/octet-stream are accepted.")
        }
        let limit = WebSocketLimits().message
        guard messages.allSatisfy({ $0.size <= limit }) else {
            throw Problem(.tooLarge, "A message has more than \(limit) bytes.")
        }
        return messages
    }

    private static func message(_ line: ArraySlice<UInt8>) throws -> WebSocketMessage {
        let value: JSONValue
        do {
            value = try StrictJSON(maximumBytes: line.count).parse(Array(line))
        } catch {
            throw Problem.invalidBody("\(error)")
        }
        guard let members = value.object, members.count == 1 else { throw invalidMessage }
        if let text = value["text"]?.string { return .text(text) }
        guard let text = value["base64"]?.string, let data = Data(base64Encoded: text) else {
            throw invalidMessage
        }
        return .binary(ByteBuffer(bytes: data))
    }

    // MARK: - Closing

    @Sendable
    private func close(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("websocket-close", request, context)
        try request.rejectParameters(except: ["code", "reason"])
        let code = try request.parameter("code").map { text in
            guard let code = Int(text), code == 1000 || (3000...4999).contains(code) else {
                throw Problem.invalidParameter("code", "must be 1000, or from 3000 to 4999")
            }
            return code
        }
        let reason = request.parameter("reason") ?? ""
        guard reason.utf8.count <= 123, code != nil || reason.isEmpty else {
            throw Problem.invalidParameter(
                "reason", "must have at most 123 bytes, and needs a code")
        }
        let (connection, _) = try await table.connection(context.required("socket"), of: client)
        connection.close(code: code, reason: reason)
        return Response(status: .noContent)
    }

    private static let invalidAddress = Problem(
        .invalidAddress,
        "The url is not a ws or wss URL in plain ASCII, without name and password, of at most"
            + " \(WebAddress.longest) bytes.",
        fix: "Write names of other scripts in their xn-- form")

    private static let invalidMessage = Problem.invalidBody(
        "Each line must be an object with either text or base64, a string.")
}

/// The open WebSockets of all clients.
private actor WebSocketTable {
    private struct Entry {
        let client: Client
        let origin: WebOrigin
        let connection: WebSocketConnection
    }

    private var entries: [String: Entry] = [:]

    /// - Returns: its identifier.
    func add(
        _ connection: WebSocketConnection, of client: Client, to origin: WebOrigin
    ) -> String {
        let id = SymmetricKey(size: .bits128).withUnsafeBytes { bytes in
            bytes.map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0\(digits)" : digits
            }.joined()
        }
        entries[id] = Entry(client: client, origin: origin, connection: connection)
        return id
    }

    func remove(_ id: String) {
        entries[id] = nil
    }

    /// - Throws: `Problem` for a WebSocket of another client, as for one that does not exist.
    func connection(
        _ id: String, of client: Client
    ) throws(Problem) -> (WebSocketConnection, origin: WebOrigin) {
        guard let entry = entries[id], entry.client.name == client.name,
            entry.client.kind == client.kind
        else {
            throw Problem(.unknownWebSocket, "\(client.name) has no open WebSocket of this name.")
        }
        return (entry.connection, entry.origin)
    }
}
