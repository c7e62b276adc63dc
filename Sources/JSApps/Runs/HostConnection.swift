/// The way from a runner to the host's API.
public protocol HostConnection: Sendable {
    /// Makes a call, and hands on the answer as it comes; an answer of any status is not an error.
    ///
    /// - Parameter receive: is given the whole answer, or head, body and end in this order; no
    ///   more is read from the host before it returns.
    /// - Throws: what `receive` throws, or that the answer broke off.
    func send(
        _ call: HostCall, receive: @escaping @Sendable (HostAnswerPart) async throws -> Void
    ) async throws
}

/// A request on its way to the host's API.
public struct HostCall: Sendable {
    public let method: String
    /// Path and query.
    public let target: String
    /// The origin's host, such as `hello-sensors.localhost`.
    public let host: String
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]

    public init(
        method: String, target: String, host: String,
        headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.host = host
        self.headers = headers
        self.body = body
    }
}

/// A part of what the host answered.
public enum HostAnswerPart: Sendable {
    /// All of an answer that is there at once.
    case whole(status: UInt16, headers: [(name: String, value: String)], body: [UInt8])
    case head(status: UInt16, headers: [(name: String, value: String)])
    case body([UInt8])
    /// Nothing more comes.
    case end
}
