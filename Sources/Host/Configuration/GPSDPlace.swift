import Addresses
import Connectors
import Texts

/// Where gpsd listens.
///
/// ```json
/// "gpsd": { "host": "192.168.1.7", "port": 2947 }
/// ```
struct GPSDPlace: Sendable, Equatable {
    /// An IP address: a look for gpsd waits for no name.
    var host = LocationDriver.standardHost
    var port = LocationDriver.standardPort

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
        try fields.end()
    }

    var driver: LocationDriver { LocationDriver(host: host, port: port) }
}
