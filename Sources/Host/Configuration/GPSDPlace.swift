import Addresses
import Connectors
import Samples
import Text

/// Where gpsd listens.
///
/// ```json
/// "gpsd": { "host": "192.168.1.7", "port": 2947, "restAfter": "5m", "lookEvery": "20s" }
/// ```
struct GPSDPlace: Sendable, Equatable {
    /// An IP address: a look for gpsd waits for no name.
    var host = LocationDriver.standardHost
    var port = LocationDriver.standardPort
    /// When its receiver may rest; `nil` for never.
    var rest: LocationDriver.Rest?

    init() {}

    /// Reads the section `gpsd`; what is not set keeps its default.
    init(_ section: JSONValue) throws(ConfigurationError) {
        var fields = try ConfigurationFields(section, of: "gpsd")
        if let value = fields.take("host") {
            guard let text = value.string, let address = IPAddress(text) else {
                throw ConfigurationError(
                    position: value.position, message: "host must be an IP address")
            }
            host = address.description
        }
        if let number = try fields.take("port", 1...65_535) { port = number }
        let after = try Self.span("restAfter", LocationDriver.Rest.spans, &fields)
        let every = try Self.span("lookEvery", LocationDriver.Rest.looks, &fields)
        guard after != nil || every == nil else {
            throw ConfigurationError(
                position: section.position, message: "lookEvery means nothing without restAfter")
        }
        rest = after.map { LocationDriver.Rest(after: $0, every: every) }
        try fields.end()
    }

    private static func span(
        _ key: String, _ range: ClosedRange<Duration>, _ fields: inout ConfigurationFields
    ) throws(ConfigurationError) -> Duration? {
        guard let value = fields.take(key) else { return nil }
        guard let span = value.string.flatMap({ Duration(span: $0) }), range.contains(span) else {
            throw ConfigurationError(
                position: value.position,
                message: "\(key) must be a span from \(range.lowerBound.span) to "
                    + "\(range.upperBound.span), such as \"\(range.upperBound.span)\"")
        }
        return span
    }

    var driver: LocationDriver { LocationDriver(host: host, port: port, rest: rest) }
}
