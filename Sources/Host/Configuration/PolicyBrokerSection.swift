package import Auth
import Samples
import Text

/// The policy broker: a program that answers questions about privileges before the owner is asked.
///
/// ```json
/// "policyBroker": {
///   "socket": "/run/user/1000/policy-broker.sock",
///   "allow": ["sensor:load", { "privilege": "sensor:cpu:stats", "history": "7d" }]
/// }
/// ```
package struct PolicyBrokerSection: Sendable, Equatable {
    /// The maximum number of privileges that it may allow.
    private static let limit = 100

    /// The absolute path of the socket on which it listens.
    package let socket: String
    /// How long an answer may take.
    package let timeout: Duration
    /// What it may allow.
    package let policy: BrokerPolicy
    /// The list `allow` as in the file.
    let allow: JSONValue

    /// Reads the section `policyBroker`.
    init(_ section: JSONValue) throws(ConfigurationError) {
        var fields = try ConfigurationFields(section, of: "policyBroker")
        guard let path = fields.take("socket"), let text = path.string, text.hasPrefix("/"),
            // The size of `sun_path`, with its final zero (unix(7)).
            text.utf8.count < 108
        else {
            throw ConfigurationError(
                position: section.position,
                message: "policyBroker needs socket, an absolute path of at most 107 bytes")
        }
        socket = text
        let value = fields.take("timeout")
        let span = value.map { $0.string.flatMap { Duration(span: $0) } } ?? .seconds(2)
        guard let span, (.milliseconds(100)...(.seconds(30))).contains(span) else {
            throw ConfigurationError(
                position: value?.position ?? section.position,
                message: "timeout must be a duration from 100ms to 30s, such as 2s")
        }
        timeout = span
        allow = fields.take("allow") ?? JSONValue([JSONValue]())
        guard let items = allow.array, items.count <= Self.limit else {
            throw ConfigurationError(
                position: allow.position,
                message: "allow must be a list of at most \(Self.limit) privileges")
        }
        var allowances: [BrokerPolicy.Allowance] = []
        for item in items { allowances.append(try BrokerPolicy.Allowance(item)) }
        policy = BrokerPolicy(allowances)
        try fields.end()
    }
}
