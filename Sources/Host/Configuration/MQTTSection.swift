import Connectors
import Text

/// The broker where sensors are announced as Home Assistant wants it.
///
/// ```json
/// "mqtt": { "host": "broker.home", "username": "nervous", "passwordFile": "/etc/nervous/mqtt", "tls": true }
/// ```
struct MQTTSection: Sendable, Equatable {
    let broker: MQTTBroker
    let prefix: String

    /// Reads the section `mqtt`.
    init(_ section: JSONValue) throws(ConfigurationError) {
        var fields = try ConfigurationFields(section, of: "mqtt")
        guard let host = fields.take("host") else {
            throw ConfigurationError(position: section.position, message: "mqtt has no host")
        }
        guard let name = host.string, MQTTBroker.isHost(name) else {
            throw Self.wrong(host, "host must be the name or the address of a machine")
        }
        let port = try fields.take("port", 1...65_535)
        let user = fields.take("username")
        guard user?.string.map({ (1...256).contains($0.utf8.count) }) != false else {
            throw Self.wrong(user ?? section, "username must be a text of 1 to 256 bytes")
        }
        let password = try Self.path("passwordFile", &fields)
        guard password == nil || user != nil else {
            throw Self.wrong(section, "mqtt has a passwordFile and no username")
        }
        let tls = fields.take("tls")
        guard tls == nil || tls?.bool != nil else {
            throw Self.wrong(tls ?? section, "tls must be true or false")
        }
        let authorities = try Self.path("ca", &fields)
        guard authorities == nil || tls?.bool == true else {
            throw Self.wrong(section, "mqtt has a ca and no tls")
        }
        let prefix = fields.take("discoveryPrefix")
        guard prefix?.string.map(HomeAssistantDriver.isPrefix) != false else {
            throw Self.wrong(
                prefix ?? section,
                "discoveryPrefix must be levels of a topic, such as homeassistant")
        }
        try fields.end()
        broker = MQTTBroker(
            host: name, port: port, username: user?.string,
            password: password.map(MQTTBroker.Password.file),
            trust: tls?.bool == true
                ? authorities.map(MQTTBroker.Trust.authorities) ?? .system : nil)
        self.prefix = prefix?.string ?? HomeAssistantDriver.standardPrefix
    }

    /// The driver of the sensors that are announced there.
    var driver: HomeAssistantDriver { HomeAssistantDriver(broker: broker, prefix: prefix) }

    private static func path(
        _ key: String, _ fields: inout ConfigurationFields
    ) throws(ConfigurationError) -> String? {
        guard let value = fields.take(key) else { return nil }
        guard let path = value.string, path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw wrong(value, "\(key) must be an absolute path")
        }
        return path
    }

    private static func wrong(_ value: JSONValue, _ message: String) -> ConfigurationError {
        ConfigurationError(position: value.position, message: message)
    }
}
