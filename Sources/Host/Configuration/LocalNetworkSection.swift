package import Addresses
import Text

/// The listener for the local network, for phones.
///
/// ```json
/// "lan": { "port": 8443, "addresses": ["192.168.1.7"] }
/// ```
package struct LocalNetworkSection: Sendable, Equatable {
    /// The maximum number of addresses that it listens on.
    static let maximumAddresses = 8

    package var port = 8443
    /// `nil` for all addresses of this machine in private networks.
    package var addresses: [IPAddress]?

    package init() {}

    /// Reads the section `lan`.
    init(_ section: JSONValue) throws(ConfigurationError) {
        var fields = try ConfigurationFields(section, of: "lan")
        if let number = try fields.take("port", 0...65_535) { port = number }
        if let list = fields.take("addresses") {
            guard let values = list.array, (1...Self.maximumAddresses).contains(values.count) else {
                throw ConfigurationError(
                    position: list.position,
                    message:
                        "addresses must be a list of 1 to \(Self.maximumAddresses) IP addresses")
            }
            var addresses: [IPAddress] = []
            for value in values { addresses.append(try Self.address(value)) }
            self.addresses = addresses
        }
        try fields.end()
    }

    private static func address(_ value: JSONValue) throws(ConfigurationError) -> IPAddress {
        guard let address = value.string.flatMap({ IPAddress($0) }) else {
            throw ConfigurationError(
                position: value.position, message: "addresses must be IP addresses")
        }
        // A link-local address needs the name of an interface, which URLs on phones cannot contain.
        if case .v6 = address, address.scope.name == "a link-local address" {
            throw ConfigurationError(
                position: value.position,
                message: "addresses must not be link-local addresses of IPv6")
        }
        return address
    }
}
