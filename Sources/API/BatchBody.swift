public import Text

/// One of the calls of a batch.
public struct BatchCall: Encodable, Sendable {
    /// The method, such as `GET`.
    public let method: String
    /// The path with its query, such as `/api/v1/sensors/cpu/latest`.
    public let path: String
    /// The header fields that the call has in addition to those of the batch.
    public var headers: [String: String]?
    /// The body.
    public var body: JSONValue?

    /// Creates a call.
    public init(
        _ method: String = "GET", _ path: String, headers: [String: String]? = nil,
        body: JSONValue? = nil
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }
}

/// The calls of a batch, in the order in which they are made.
public struct BatchRequest: Encodable, Sendable {
    /// The maximum number of calls.
    public static let callLimit = 100
    /// The maximum number of bytes of the bodies of all answers.
    public static let answerLimit = 16 << 20

    /// The calls.
    public let calls: [BatchCall]

    /// Creates a batch.
    public init(_ calls: [BatchCall]) {
        self.calls = calls
    }
}

/// The answer to one call of a batch.
public struct BatchAnswer: Codable, Sendable {
    /// The status of the answer.
    public let status: Int
    /// Its header fields, with names in lower case.
    public let headers: [String: String]
    /// Its body, if that is JSON.
    public let body: JSONValue?
    /// Its body, if that is other text.
    public let text: String?
}
