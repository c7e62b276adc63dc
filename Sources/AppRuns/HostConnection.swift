/// Forwards the calls of apps to the host's API.
public protocol HostConnection: Sendable {
    /// Makes a call and passes on the response as it arrives, whatever its status is.
    ///
    /// - Parameter receive: takes the whole response, or head, body and end in this order. The next
    ///   part is read after it returns.
    /// - Throws: what `receive` throws, or an error if the response is interrupted:
    ///   ``InterruptedAnswer`` if the reason may be shown to the app.
    func send(
        _ call: HostCall, receive: @escaping @Sendable (HostAnswerPart) async throws -> Void
    ) async throws
}

/// A request to the host's API.
public struct HostCall: Sendable {
    /// The HTTP method.
    public let method: String
    /// Path and query.
    public let target: String
    /// The origin's host, such as `hello-sensors.localhost`.
    public let host: String
    /// The header fields.
    public let headers: [(name: String, value: String)]
    /// The body.
    public let body: [UInt8]

    /// Describes a request.
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

/// Why a response ended early, for the app.
public struct InterruptedAnswer: Error, Sendable {
    /// One sentence, without any content of the response.
    public let reason: String

    /// Describes why a response ended early.
    public init(reason: String) {
        self.reason = reason
    }
}

/// A part of the host's response.
public enum HostAnswerPart: Sendable {
    /// A response that is complete.
    case whole(status: UInt16, headers: [(name: String, value: String)], body: [UInt8])
    /// The status and header of a response in parts.
    case head(status: UInt16, headers: [(name: String, value: String)])
    /// A piece of the body.
    case body([UInt8])
    /// The end of the response.
    case end
}
