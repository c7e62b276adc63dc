/// The way from a runner to the host's API.
public protocol HostConnection: Sendable {
    /// - Throws: when the host cannot be reached; an answer of any status is not an error.
    func send(_ call: HostCall) async throws -> HostAnswer
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

/// What the host answered; the body comes as it is read.
public struct HostAnswer: Sendable {
    public let status: UInt16
    public let headers: [(name: String, value: String)]
    public let body: any AsyncSequence<[UInt8], any Error> & Sendable

    public init(
        status: UInt16, headers: [(name: String, value: String)],
        body: any AsyncSequence<[UInt8], any Error> & Sendable
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
