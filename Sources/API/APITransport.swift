public import Foundation

/// A request of the API.
public struct APIRequest: Sendable {
    /// An HTTP method.
    public enum Method: String, Sendable {
        /// `GET`
        case get = "GET"
        /// `POST`
        case post = "POST"
        /// `PUT`
        case put = "PUT"
        /// `PATCH`
        case patch = "PATCH"
        /// `DELETE`
        case delete = "DELETE"
    }

    /// The method.
    public let method: Method
    /// The path of the resource.
    public let path: APIPath
    /// The parameters of the query; those without a value are omitted.
    public var query: [(name: String, value: String?)]
    /// Header fields.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: Data?
    /// Whether the transport's time limit applies; `false` for requests that may take long.
    public var hasTimeLimit: Bool

    /// Creates a request without body.
    public init(
        _ method: Method, _ path: APIPath, query: [(name: String, value: String?)] = [],
        headers: [(name: String, value: String)] = [], hasTimeLimit: Bool = true
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.hasTimeLimit = hasTimeLimit
    }

    /// Creates a request with a body.
    public init(
        _ method: Method, _ path: APIPath, query: [(name: String, value: String?)] = [],
        body: Data, type: String, hasTimeLimit: Bool = true
    ) {
        self.init(
            method, path, query: query, headers: [("Content-Type", type)],
            hasTimeLimit: hasTimeLimit)
        self.body = body
    }

    /// Creates a request with a body of JSON.
    public init(
        _ method: Method, _ path: APIPath, query: [(name: String, value: String?)] = [],
        json: some Encodable, hasTimeLimit: Bool = true
    ) throws {
        self.init(
            method, path, query: query, body: try JSONEncoder().encode(json),
            type: "application/json", hasTimeLimit: hasTimeLimit)
    }

    /// The percent-encoded path and query.
    public var target: String {
        let pairs = query.compactMap { name, value in
            value.map { "\(name)=\(APIPath.encoded($0))" }
        }
        return "\(path)" + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }
}

/// A response of the API.
public struct APIResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// Header fields.
    public let headers: [(name: String, value: String)]
    /// The body.
    public let body: Data

    /// Creates a value from its members.
    public init(status: Int, headers: [(name: String, value: String)], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Whether the request succeeded.
    public var isSuccess: Bool { (200..<300).contains(status) }

    /// The first header field with a name, which is compared case-insensitively.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// Sends requests to a host, for example over its control socket.
public protocol APITransport: Sendable {
    /// Sends a request and receives the whole response, whatever its status is.
    func send(_ request: APIRequest) async throws -> APIResponse

    /// Sends a request and receives the body line by line, until the host ends it.
    ///
    /// - Throws: ``APIError`` if the request does not succeed.
    func lines(
        for request: APIRequest
    ) async throws -> any AsyncSequence<Data, any Error> & Sendable
}

/// Adds a token to each request.
struct TokenTransport: APITransport {
    let base: any APITransport
    let token: String

    func send(_ request: APIRequest) async throws -> APIResponse {
        try await base.send(authorized(request))
    }

    func lines(
        for request: APIRequest
    ) async throws -> any AsyncSequence<Data, any Error> & Sendable {
        try await base.lines(for: authorized(request))
    }

    private func authorized(_ request: APIRequest) -> APIRequest {
        var request = request
        request.headers.append(("Authorization", "Bearer \(token)"))
        return request
    }
}

/// A problem that the API returned.
public struct APIError: Error, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The problem; `nil` if the body is not one.
    public let problem: ProblemDetails?

    /// Creates a value from its members.
    public init(status: Int, problem: ProblemDetails?) {
        self.status = status
        self.problem = problem
    }

    /// The error of a response that is not a success.
    public init(_ response: APIResponse) {
        self.init(status: response.status, body: response.body)
    }

    /// The error of a status and a body.
    public init(status: Int, body: Data) {
        self.status = status
        problem = try? JSONDecoder().decode(ProblemDetails.self, from: body)
    }

    /// The code of the problem, if this version knows it.
    public var code: ProblemCode? { problem?.problemCode }
}

/// A response of JSON: the text as the host sent it, and its value.
public struct APIReply<Value: Decodable & Sendable>: Sendable {
    /// The JSON.
    public let json: Data

    /// Creates a reply.
    public init(json: Data) {
        self.json = json
    }

    /// The value.
    ///
    /// - Throws: `DecodingError` if the host sent something else.
    public var value: Value {
        get throws { try JSONDecoder().decode(Value.self, from: json) }
    }
}
