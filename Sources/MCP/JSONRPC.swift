import Text

/// The identifier of a JSON-RPC request: a text or a whole number.
enum RequestID: Hashable, Sendable {
    case text(String)
    case number(Int64)

    /// - Returns: `nil` for anything else, also for `null`.
    init?(_ value: JSONValue) {
        if let text = value.string {
            self = .text(text)
        } else if let number = value.number?.int64 {
            self = .number(number)
        } else {
            return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .text(let text): JSONValue(text)
        case .number(let number): JSONValue(Int(number))
        }
    }
}

/// An error response of JSON-RPC 2.0.
struct RPCError: Error {
    /// The codes of JSON-RPC 2.0, section 5.1, and the one that the Model Context Protocol adds.
    enum Code: Int {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParameters = -32602
        case internalError = -32603
        /// A request in a revision of the protocol that this server does not have.
        case unsupportedProtocolVersion = -32022
    }

    let code: Code
    let message: String
    var data: JSONValue?

    init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        (self.code, self.message, self.data) = (code, message, data)
    }

    /// - Parameter id: of the request; `nil` if it could not be read.
    func response(to id: RequestID?) -> JSONValue {
        var error: [(key: String, value: JSONValue)] = [
            ("code", JSONValue(code.rawValue)), ("message", JSONValue(message)),
        ]
        if let data { error.append(("data", data)) }
        var members: [(key: String, value: JSONValue)] = [("jsonrpc", JSONValue("2.0"))]
        if let id { members.append(("id", id.json)) }
        members.append(("error", JSONValue(error)))
        return JSONValue(members)
    }
}

/// A message of the client: one line.
///
/// Lists of messages are refused: the revisions that this server has do not know them.
enum ClientMessage {
    case request(id: RequestID, method: String, parameters: JSONValue)
    case notification(method: String, parameters: JSONValue)
    /// An answer to a request, although this server sends none.
    case response

    /// Why a line is not a message.
    struct Malformed: Error {
        let id: RequestID?
        let error: RPCError
    }

    private static let parser = StrictJSON(maximumBytes: MCPServer.longestLine)

    init(_ line: [UInt8]) throws(Malformed) {
        let value: JSONValue
        do {
            value = try Self.parser.parse(line)
        } catch {
            throw Malformed(id: nil, error: RPCError(.parseError, "Invalid JSON: \(error.message)"))
        }
        guard value.object != nil else {
            throw Malformed(
                id: nil, error: RPCError(.invalidRequest, "A message is one JSON object."))
        }
        let id = value["id"].flatMap(RequestID.init)
        func refusal(_ message: String) -> Malformed {
            Malformed(id: id, error: RPCError(.invalidRequest, message))
        }
        guard value["jsonrpc"]?.string == "2.0" else { throw refusal("jsonrpc must be \"2.0\".") }
        guard let name = value["method"] else {
            guard value["result"] != nil || value["error"] != nil else {
                throw refusal("The message has no method.")
            }
            self = .response
            return
        }
        guard let method = name.string else { throw refusal("method must be a text.") }
        let parameters = value["params"] ?? JSONValue(.object([]))
        guard parameters.object != nil else { throw refusal("params must be an object.") }
        guard value["id"] != nil else {
            self = .notification(method: method, parameters: parameters)
            return
        }
        guard let id else { throw refusal("id must be a text or a whole number.") }
        self = .request(id: id, method: method, parameters: parameters)
    }
}
