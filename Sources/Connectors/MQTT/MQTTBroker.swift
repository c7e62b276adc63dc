import Files
import Glibc

/// Where an MQTT broker is, who reads from it, and how it shows that it is the right one.
public struct MQTTBroker: Hashable, Sendable, CustomStringConvertible {
    /// What proves who one is.
    public enum Password: Hashable, Sendable {
        case text(String)
        /// A file that holds it, and nothing else but the end of its line; read at every connection.
        case file(String)
    }

    /// Who vouches for the certificate of a broker.
    public enum Trust: Hashable, Sendable {
        /// Whoever this machine believes.
        case system
        /// The certificates in a file, in PEM, and no others.
        case authorities(file: String)
    }

    public let host: String
    public let port: Int
    public let username: String?
    public let password: Password?
    /// `nil` for a broker that is spoken to plainly.
    public let trust: Trust?

    /// - Parameter port: 1883, or 8883 with TLS, where it is not given.
    public init(
        host: String, port: Int? = nil, username: String? = nil, password: Password? = nil,
        trust: Trust? = nil
    ) {
        (self.host, self.port) = (host, port ?? (trust == nil ? 1883 : 8883))
        (self.username, self.password, self.trust) = (username, password, trust)
    }

    public var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(trust == nil ? "mqtt" : "mqtts")://\(name):\(port)"
    }

    /// Whether a text can be the name or the address of a machine.
    public static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "/") }
    }

    /// - Throws: ``ConnectorError`` when its file cannot be read or holds no password.
    func secret() throws(ConnectorError) -> String? {
        switch password {
        case nil: return nil
        case .text(let text): return text
        case .file(let path):
            do {
                return try SecretFile.line(in: path)
            } catch {
                throw ConnectorError(
                    "The password of \(self) cannot be read: \(path): \(error.reason).")
            }
        }
    }

    static func reason(_ number: Int32) -> String {
        String(cString: strerror(number)).lowercased()
    }
}

extension MQTTBroker {
    /// Reads the keys of a source: `host`, `port`, `username`, `password` or `passwordFile`, `tls`, `ca`.
    init(_ source: inout PackObject) throws(PackError) {
        let host = try source.requiredText("host")
        guard Self.isHost(host) else {
            throw source.wrong("host", "is no name or address of a machine")
        }
        let port = try source.integer("port", in: 1...65_535)
        let username = try source.text("username")
        let text = try source.text("password")
        let file = try source.text("passwordFile")
        guard text == nil || file == nil else {
            throw source.wrong("passwordFile", "stands beside a password")
        }
        guard username != nil || text == nil && file == nil else {
            throw source.missing("username")
        }
        guard file?.hasPrefix("/") != false else {
            throw source.wrong("passwordFile", "is no absolute path")
        }
        let isSecret = try source.flag("tls") ?? false
        let authorities = try source.text("ca")
        guard authorities == nil || isSecret else {
            throw source.wrong("ca", "belongs to tls")
        }
        guard authorities?.hasPrefix("/") != false else {
            throw source.wrong("ca", "is no absolute path")
        }
        self.init(
            host: host, port: port, username: username,
            password: text.map(Password.text) ?? file.map(Password.file),
            trust: isSecret ? authorities.map(Trust.authorities) ?? .system : nil)
    }
}
