public import Addresses

/// A request to another server.
public struct OutboundRequest: Hashable, Sendable {
    public let method: String
    public let address: WebAddress
    /// The header fields of the caller's own that are sent.
    public let fields: [HeaderLine]
    public let body: [UInt8]

    /// - Throws: `invalidRequest` for a method that is not sent or a field that is none.
    public init(
        _ method: String, _ address: WebAddress, fields: [HeaderLine] = [], body: [UInt8] = []
    ) throws(NetError) {
        guard RequestRules.methods.contains(method) else {
            throw NetError(
                .invalidRequest,
                "The method is not one of \(RequestRules.methods.sorted().joined(separator: ", "))."
            )
        }
        guard body.isEmpty || (method != "GET" && method != "HEAD") else {
            throw NetError(.invalidRequest, "A \(method) request has no body.")
        }
        let sent = try RequestRules.sent(fields)
        self.init(checked: method, address, sent, body)
    }

    init(
        checked method: String, _ address: WebAddress, _ fields: [HeaderLine], _ body: [UInt8]
    ) {
        self.method = method
        self.address = address
        self.fields = fields
        self.body = body
    }
}

/// A header field.
public struct HeaderLine: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
