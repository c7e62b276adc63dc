import Addresses
import Auth
package import Connectors
import Crypto
import Files
import LAE
import Logging
import Provider
import RunnerProtocol
import Samples
import Text
import VM

/// The address of gpsd.
///
/// ```json
/// "gpsd": { "host": "192.168.1.7", "port": 2947, "restAfter": "5m", "pollInterval": "20s" }
/// ```
package struct GPSDSection: Sendable, Equatable {
    /// An IP address, because discovery cannot wait for a name lookup.
    var host = LocationDriver.standardHost
    var port = LocationDriver.standardPort
    /// When the receiver is suspended; `nil` for never.
    var rest: LocationDriver.Rest?

    init() {}

    /// Reads the section `gpsd`.
    init(_ section: JSONValue) throws(ConfigurationError) {
        var fields = try ConfigurationFields(section, of: "gpsd")
        host = try fields.takeAddress("host") ?? host
        if let number = try fields.take("port", 1...65_535) { port = number }
        let after = try Self.span("restAfter", LocationDriver.Rest.spans, &fields)
        let every = try Self.span("pollInterval", LocationDriver.Rest.checkIntervals, &fields)
        guard after != nil || every == nil else {
            throw ConfigurationError(
                position: section.position, message: "pollInterval requires restAfter")
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
                message: "\(key) must be a duration from \(range.lowerBound.span) to "
                    + "\(range.upperBound.span), such as \"\(range.upperBound.span)\"")
        }
        return span
    }

    package var driver: LocationDriver { LocationDriver(host: host, port: port, rest: rest) }
}

extension NUTServer {
    /// Reads the section `nut`.
    ///
    /// ```json
    /// "nut": { "host": "192.168.1.9", "port": 3493 }
    /// ```
    init(section: JSONValue) throws(ConfigurationError) {
        var fields = try ConfigurationFields(section, of: "nut")
        // Discovery cannot wait for a name lookup.
        let host = try fields.takeAddress("host") ?? Self.standardHost
        let port = try fields.take("port", 1...65_535) ?? Self.standardPort
        try fields.end()
        self.init(host: host, port: port)
    }
}

/// The MQTT broker that announces sensors in the format of Home Assistant.
///
/// ```json
/// "mqtt": { "host": "broker.home", "username": "nervous", "passwordFile": "/etc/nervous/mqtt", "tls": true }
/// ```
package struct MQTTSection: Sendable, Equatable {
    package let broker: MQTTBroker
    let prefix: String
    /// The file with the token of the client whose sensors are announced; `nil` to announce none.
    let tokenFile: String?

    /// Reads the section `mqtt`.
    init(_ section: JSONValue) throws(ConfigurationError) {
        var fields = try ConfigurationFields(section, of: "mqtt")
        guard let host = fields.take("host") else {
            throw ConfigurationError(position: section.position, message: "mqtt has no host")
        }
        guard let name = host.string, MQTTBroker.isHost(name) else {
            throw Self.wrong(host, "host must be a host name or an address")
        }
        let port = try fields.take("port", 1...65_535)
        let user = fields.take("username")
        guard user?.string.map({ (1...256).contains($0.utf8.count) }) != false else {
            throw Self.wrong(user ?? section, "username must be a string of 1 to 256 bytes")
        }
        let reference = fields.take("passwordFile")
        let password = reference?.string.flatMap {
            MQTTBroker.Password(reference: $0, secrets: SourceSecrets())
        }
        guard reference == nil || password != nil else {
            throw Self.wrong(
                reference ?? section, "passwordFile must be an absolute path or secret:NAME")
        }
        guard password == nil || user != nil else {
            throw Self.wrong(section, "mqtt has a passwordFile but no username")
        }
        let tls = fields.take("tls")
        guard tls == nil || tls?.bool != nil else {
            throw Self.wrong(tls ?? section, "tls must be true or false")
        }
        let authorities = try Self.path("ca", &fields)
        guard authorities == nil || tls?.bool == true else {
            throw Self.wrong(section, "mqtt has a ca but no tls")
        }
        let tokenFile = try Self.path("tokenFile", &fields)
        let prefix = fields.take("discoveryPrefix")
        guard prefix?.string.map(HomeAssistantDriver.isPrefix) != false else {
            throw Self.wrong(
                prefix ?? section,
                "discoveryPrefix must be topic levels, such as homeassistant")
        }
        try fields.end()
        broker = MQTTBroker(
            host: name, port: port, username: user?.string,
            password: password,
            trust: tls?.bool == true
                ? authorities.map(MQTTBroker.Trust.authorities) ?? .system : nil)
        self.prefix = prefix?.string ?? HomeAssistantDriver.standardPrefix
        self.tokenFile = tokenFile
    }

    /// The name of this source, whose secrets are used.
    private static let source = "mqtt"

    /// The driver of the announced sensors.
    ///
    /// - Parameter secrets: those of all sources.
    func driver(_ secrets: SourceSecrets) -> HomeAssistantDriver {
        HomeAssistantDriver(broker: broker.reading(secrets.of(Self.source)), prefix: prefix)
    }

    /// Announces sensors at the broker; `nil` without a file with a token.
    func publisher(
        _ authority: Authority, _ machine: VirtualMachine, _ engine: AnalyticsEngine,
        _ paths: HostPaths, _ secrets: SourceSecrets, _ logger: Logger
    ) -> HomeAssistantPublisher? {
        guard let tokenFile else { return nil }
        return HomeAssistantPublisher(
            broker: broker.reading(secrets.of(Self.source)),
            topics: DeviceAnnouncement.Topics(prefix: prefix, host: Self.host(paths.data)),
            version: Release.version, authority: authority, machine: machine, engine: engine,
            logger: logger
        ) { try? SecretFile.line(in: tokenFile) }
    }

    /// Distinguishes this data directory from all others, without naming the machine.
    ///
    /// Source: machine-id(5), which asks for a hash.
    private static func host(_ data: String) -> String {
        let machine = (try? SecretFile.line(in: "/etc/machine-id")) ?? ""
        return SHA256.hash(data: Array("nervous\0\(machine)\0\(data)".utf8)).prefix(6)
            .hexadecimal
    }

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
