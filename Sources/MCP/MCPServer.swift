import Scheduling
import Text

/// A server of the Model Context Protocol, without its transport.
///
/// It takes one message a line, in the revisions 2026-07-28, in which requests are stateless, and 2025-11-25,
/// in which a session begins with `initialize`. It has tools only, and all of them only read.
///
/// ```swift
/// let server = MCPServer(version: "1.0", access: access) { line in print(line) }
/// for await line in lines { await server.receive(line) }
/// await server.close()
/// ```
public actor MCPServer {
    /// The maximum length of a line in bytes.
    public static let longestLine = 1 << 20
    /// The maximum number of calls in progress.
    private static let callLimit = 32
    /// The maximum number of calls of tools in a minute.
    private static let rate = 600
    /// How long calls in progress may go on when the input has ended.
    private static let closingTime = Duration.seconds(5)

    private static let instructions = """
        Reads the sensors of the owner's machine, within the permissions that the owner gave. Begin with \
        list_sensors. `access` says what may be read: with "statistics" only statistics and windows answer. If a \
        tool says that a permission is missing, ask the owner in the conversation, and wait; do not look for \
        another way. \(UntrustedText.explanation) Times are RFC 3339 or milliseconds since 1970; units are UCUM codes.
        """

    private let server: JSONValue
    private let host: HostCalls
    private let tools: [any Tool] = [
        SensorListTool(), LatestTool(), SamplesTool(), StatisticsTool(), WindowsTool(),
        AnalysisTool(), SessionsTool(),
    ]
    private let send: @Sendable (String) -> Void
    private var isInitialized = false
    private var calls: [RequestID: Task<Void, Never>] = [:] {
        didSet { if calls.isEmpty { idle?.finish() } }
    }
    /// Ends the wait for the calls in progress.
    private var idle: AsyncStream<Void>.Continuation?
    private var subscriptions: Set<RequestID> = []
    private var limiter = RateLimiter<ContinuousClock.Instant>(MCPServer.rate, per: .seconds(60))

    /// - Parameters:
    ///   - version: of the program.
    ///   - send: writes a line, without its line break.
    public init(
        version: String, access: any HostAccess, send: @escaping @Sendable (String) -> Void
    ) {
        server = JSONValue([
            "name": JSONValue("nervous"), "title": JSONValue("Nervous"),
            "version": JSONValue(version),
        ])
        host = HostCalls(access: access)
        self.send = send
    }

    /// Takes a line; the answer, if there is one, is sent when it is known.
    public func receive(_ line: [UInt8]) {
        do throws(ClientMessage.Malformed) {
            switch try ClientMessage(line) {
            case .request(let id, let method, let parameters):
                do throws(RPCError) {
                    try answer(id, method, parameters)
                } catch {
                    send(error.response(to: id).line)
                }
            case .notification("notifications/cancelled", let parameters):
                cancel(parameters)
            case .notification, .response: break
            }
        } catch {
            send(error.error.response(to: error.id).line)
        }
    }

    /// Reports a line that was longer than ``longestLine``.
    public func refuseLongLine() {
        let error = RPCError(
            .invalidRequest, "A message has at most \(Self.longestLine) bytes.")
        send(error.response(to: nil).line)
    }

    /// Ends when the input has ended: waits for the calls in progress, but not for long.
    public func close() async {
        for id in subscriptions { end(subscription: id) }
        guard !calls.isEmpty else { return }
        let (waiting, idle) = AsyncStream.makeStream(of: Void.self)
        self.idle = idle
        let limit = Task {
            try? await Task.sleep(for: Self.closingTime)
            idle.finish()
        }
        for await _ in waiting {}
        limit.cancel()
        for call in calls.values { call.cancel() }
        calls = [:]
    }

    // MARK: - Requests

    private func answer(
        _ id: RequestID, _ method: String, _ parameters: JSONValue
    ) throws(RPCError) {
        guard calls[id] == nil, !subscriptions.contains(id) else {
            throw RPCError(.invalidRequest, "A request with this id is in progress.")
        }
        guard method != "initialize" else { return try initialize(id, parameters) }
        let revision = try ProtocolRevision(of: method, parameters, isInitialized: isInitialized)
        func respond(_ result: [(key: String, value: JSONValue)]) {
            send(revision.response(to: id, result, by: server).line)
        }
        switch (method, revision) {
        case ("ping", .session): respond([])
        case ("server/discover", .stateless):
            respond(
                [
                    ("supportedVersions", ProtocolRevision.names),
                    ("capabilities", JSONValue(["tools": JSONValue(.object([]))])),
                    ("instructions", JSONValue(Self.instructions)),
                ] + revision.cacheHints)
        case ("tools/list", _):
            guard parameters["cursor"] == nil else {
                throw RPCError(.invalidParameters, "The list of tools has one page: omit cursor.")
            }
            respond([("tools", JSONValue(tools.map(\.json)))] + revision.cacheHints)
        case ("tools/call", _): try call(id, parameters, revision)
        case ("subscriptions/listen", .stateless): try subscribe(id, parameters)
        default:
            let name = UntrustedText.plain(method, limit: 60)
            throw RPCError(.methodNotFound, "There is no method \(name).")
        }
    }

    private func initialize(_ id: RequestID, _ parameters: JSONValue) throws(RPCError) {
        guard !isInitialized else {
            throw RPCError(.invalidRequest, "The session has been initialized.")
        }
        try ProtocolRevision.check(initialization: parameters)
        isInitialized = true
        // A client that does not know this revision disconnects, as the protocol says.
        let result: [(key: String, value: JSONValue)] = [
            ("protocolVersion", JSONValue(ProtocolRevision.session.rawValue)),
            ("capabilities", JSONValue(["tools": JSONValue(.object([]))])),
            ("serverInfo", server), ("instructions", JSONValue(Self.instructions)),
        ]
        send(ProtocolRevision.session.response(to: id, result, by: server).line)
    }

    private func call(
        _ id: RequestID, _ parameters: JSONValue, _ revision: ProtocolRevision
    ) throws(RPCError) {
        guard let name = parameters["name"]?.string else {
            throw RPCError(.invalidParameters, "name must be the name of a tool.")
        }
        guard let tool = tools.first(where: { $0.name == name }) else {
            let shown = UntrustedText.plain(name, limit: 60)
            throw RPCError(.invalidParameters, "Unknown tool: \(shown)")
        }
        let arguments = parameters["arguments"] ?? JSONValue(.object([]))
        guard arguments.object != nil else {
            throw RPCError(.invalidParameters, "arguments must be an object.")
        }
        guard calls.count < Self.callLimit else {
            throw RPCError(
                .internalError, "More than \(Self.callLimit) calls are in progress: wait for one.")
        }
        let isExcess = limiter.admit(at: .now) != nil
        let host = host
        calls[id] = Task {
            let result: [(key: String, value: JSONValue)]
            do {
                if isExcess {
                    throw ToolFailure("More than \(Self.rate) calls were made in a minute. Wait.")
                }
                let found = try await tool.call(arguments, host)
                result =
                    Self.content(found.text) + [
                        ("structuredContent", found.value), ("isError", JSONValue(.bool(false))),
                    ]
            } catch {
                let failure = error as? ToolFailure ?? ToolFailure("The call was not completed.")
                result =
                    Self.content(failure.message) + [("isError", JSONValue(.bool(true)))]
            }
            finish(id, revision, result)
        }
    }

    private static func content(_ text: String) -> [(key: String, value: JSONValue)] {
        [("content", JSONValue([JSONValue(["type": JSONValue("text"), "text": JSONValue(text)])]))]
    }

    /// Sends the result of a call, unless the client has cancelled it.
    private func finish(
        _ id: RequestID, _ revision: ProtocolRevision, _ result: [(key: String, value: JSONValue)]
    ) {
        guard calls.removeValue(forKey: id) != nil, !Task.isCancelled else { return }
        send(revision.response(to: id, result, by: server).line)
    }

    /// Cancels a call or a subscription; others and unknown ones are ignored, as the protocol says.
    private func cancel(_ parameters: JSONValue) {
        guard let id = parameters["requestId"].flatMap(RequestID.init) else { return }
        subscriptions.remove(id)
        calls.removeValue(forKey: id)?.cancel()
    }

    // MARK: - Subscriptions

    /// Opens a subscription, to which nothing is sent: the list of tools does not change.
    private func subscribe(_ id: RequestID, _ parameters: JSONValue) throws(RPCError) {
        guard parameters["notifications"]?.object != nil else {
            throw RPCError(.invalidParameters, "notifications must be an object.")
        }
        guard subscriptions.count < Self.callLimit else {
            throw RPCError(.internalError, "Too many subscriptions are open.")
        }
        subscriptions.insert(id)
        let acknowledgement = JSONValue([
            "_meta": JSONValue([ProtocolRevision.MetaKey.subscription: id.json]),
            "notifications": JSONValue(.object([])),
        ])
        send(
            JSONValue([
                "jsonrpc": JSONValue("2.0"),
                "method": JSONValue("notifications/subscriptions/acknowledged"),
                "params": acknowledgement,
            ]).line)
    }

    private func end(subscription id: RequestID) {
        subscriptions.remove(id)
        let result = JSONValue([
            "resultType": JSONValue("complete"),
            "_meta": JSONValue([ProtocolRevision.MetaKey.subscription: id.json]),
        ])
        send(JSONValue(["jsonrpc": JSONValue("2.0"), "id": id.json, "result": result]).line)
    }
}
