/// Why a query of Prometheus' query language has no answer.
public struct PrometheusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of error, as Prometheus names them in `errorType`.
    public enum Code: String, Hashable, Sendable {
        /// The query or a parameter is not valid or not supported.
        case badData = "bad_data"
        /// The query is valid and cannot be computed.
        case execution
    }

    /// The kind of error.
    public let code: Code
    /// One sentence.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static func badData(_ message: String) -> PrometheusError { PrometheusError(.badData, message) }

    public var description: String { message }
}
