import Text

/// The revisions of the Model Context Protocol that the server has.
///
/// Sources: the specifications of [2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28) and
/// [2025-11-25](https://modelcontextprotocol.io/specification/2025-11-25).
enum ProtocolRevision: String, CaseIterable {
    /// Each request names its revision; there is no handshake.
    case stateless = "2026-07-28"
    /// A session begins with `initialize`.
    case session = "2025-11-25"

    /// The members of `_meta` in the stateless revision.
    enum MetaKey {
        static let version = "io.modelcontextprotocol/protocolVersion"
        static let capabilities = "io.modelcontextprotocol/clientCapabilities"
        static let client = "io.modelcontextprotocol/clientInfo"
        static let server = "io.modelcontextprotocol/serverInfo"
        static let subscription = "io.modelcontextprotocol/subscriptionId"
    }

    static var names: JSONValue { JSONValue(allCases.map { JSONValue($0.rawValue) }) }

    /// The revision of a request other than `initialize`.
    ///
    /// - Parameter isInitialized: whether the client has sent `initialize`.
    /// - Throws: `RPCError` for a revision that the server does not have, or without one.
    init(
        of method: String, _ parameters: JSONValue, isInitialized: Bool
    ) throws(RPCError) {
        let meta = parameters["_meta"]
        guard meta == nil || meta?.object != nil else {
            throw RPCError(.invalidParameters, "_meta must be an object.")
        }
        guard let version = meta?[MetaKey.version] else {
            guard isInitialized || method == "ping" else {
                throw RPCError(
                    .invalidParameters,
                    "_meta has no \(MetaKey.version), and the client has not sent initialize.")
            }
            self = .session
            return
        }
        guard let name = version.string else {
            throw RPCError(.invalidParameters, "\(MetaKey.version) must be a text.")
        }
        guard name == Self.stateless.rawValue else {
            throw RPCError(
                .unsupportedProtocolVersion, "Unsupported protocol version",
                data: JSONValue([
                    "supported": Self.names, "requested": JSONValue(String(name.prefix(64))),
                ]))
        }
        guard meta?[MetaKey.capabilities]?.object != nil else {
            throw RPCError(.invalidParameters, "_meta has no object \(MetaKey.capabilities).")
        }
        if let client = meta?[MetaKey.client] { try Self.check(implementation: client) }
        self = .stateless
    }

    /// Checks the parameters of `initialize`.
    static func check(initialization parameters: JSONValue) throws(RPCError) {
        guard parameters["protocolVersion"]?.string != nil else {
            throw RPCError(.invalidParameters, "protocolVersion must be a text.")
        }
        guard parameters["capabilities"]?.object != nil else {
            throw RPCError(.invalidParameters, "capabilities must be an object.")
        }
        guard let client = parameters["clientInfo"] else {
            throw RPCError(.invalidParameters, "clientInfo is missing.")
        }
        try check(implementation: client)
    }

    private static func check(implementation: JSONValue) throws(RPCError) {
        guard implementation["name"]?.string != nil, implementation["version"]?.string != nil else {
            throw RPCError(.invalidParameters, "The name and the version of a client are texts.")
        }
    }

    /// The response to a request.
    ///
    /// - Parameter server: the name and the version of the server.
    func response(
        to id: RequestID, _ result: [(key: String, value: JSONValue)], by server: JSONValue
    ) -> JSONValue {
        var result = result
        if self == .stateless {
            result.insert(("resultType", JSONValue("complete")), at: 0)
            result.append(("_meta", JSONValue([MetaKey.server: server])))
        }
        return JSONValue(["jsonrpc": JSONValue("2.0"), "id": id.json, "result": JSONValue(result)])
    }

    /// The members that say for how long a client may keep a result that is the same for all clients.
    var cacheHints: [(key: String, value: JSONValue)] {
        guard self == .stateless else { return [] }
        return [("ttlMs", JSONValue(3_600_000)), ("cacheScope", JSONValue("public"))]
    }
}
