import Files
import Glibc
public import Sealing

/// The address of an MQTT broker, the credentials, and how its certificate is verified.
public struct MQTTBroker: Hashable, Sendable, CustomStringConvertible {
    /// A password.
    public enum Password: Hashable, Sendable {
        /// The password itself.
        case text(String)
        /// A file that contains only the password in one line; read at every connection.
        case file(String)
        /// A secret of the source; read at every connection.
        case secret(SecretName, SourceSecrets)

        private static let secretPrefix = "secret:"

        /// Reads the absolute path of a file, or `secret:` and the name of a secret.
        ///
        /// - Returns: `nil` for anything else.
        public init?(reference: String, secrets: SourceSecrets) {
            if reference.hasPrefix("/") {
                self = .file(reference)
                return
            }
            guard reference.hasPrefix(Self.secretPrefix),
                let name = SecretName(String(reference.dropFirst(Self.secretPrefix.count)))
            else { return nil }
            self = .secret(name, secrets)
        }

        /// The form that ``init(reference:secrets:)`` reads; `nil` for a password itself.
        public var reference: String? {
            switch self {
            case .text: nil
            case .file(let path): path
            case .secret(let name, _): "\(Self.secretPrefix)\(name)"
            }
        }
    }

    /// The authorities that may sign the broker's certificate.
    public enum Trust: Hashable, Sendable {
        /// The authorities trusted by the system.
        case system
        /// Only the certificates in a PEM file.
        case authorities(file: String)
    }

    /// The host name or address.
    public let host: String
    /// The TCP port.
    public let port: Int
    /// The user name, if the broker requires one.
    public let username: String?
    /// The password, if the broker requires one.
    public let password: Password?
    /// How the certificate is verified; `nil` for a connection without TLS.
    public let trust: Trust?

    /// Creates a broker's address.
    ///
    /// - Parameter port: 1883, or 8883 with TLS, by default.
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

    /// Whether a text can be a host name or address.
    public static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "/") }
    }

    /// The password.
    ///
    /// - Throws: ``ConnectorError`` if its file cannot be read or contains no password.
    func secret() throws(ConnectorError) -> String? {
        switch password {
        case nil: return nil
        case .text(let text): return text
        case .secret(let name, let secrets): return try secrets.value(name)
        case .file(let path):
            do {
                return try SecretFile.line(in: path)
            } catch {
                throw ConnectorError(
                    "The password of \(self) cannot be read: \(path): \(error.reason).")
            }
        }
    }

    /// The same broker, with the secrets of a source.
    public func reading(_ secrets: SourceSecrets) -> MQTTBroker {
        guard case .secret(let name, _) = password else { return self }
        return MQTTBroker(
            host: host, port: port, username: username, password: .secret(name, secrets),
            trust: trust)
    }

    static func reason(_ number: Int32) -> String {
        String(cString: strerror(number)).lowercased()
    }
}

extension MQTTBroker {
    /// Reads `host`, `port`, `username`, `password` or `passwordFile`, `tls` and `ca`.
    init(_ source: inout PackObject) throws(PackError) {
        let host = try source.requiredText("host")
        guard Self.isHost(host) else {
            throw source.wrong("host", "is not a host name or address")
        }
        let port = try source.integer("port", in: 1...65_535)
        let username = try source.text("username")
        let text = try source.text("password")
        let file = try source.text("passwordFile")
        guard text == nil || file == nil else {
            throw source.wrong("passwordFile", "cannot be combined with password")
        }
        guard username != nil || text == nil && file == nil else {
            throw source.missing("username")
        }
        let reference = file.map { Password(reference: $0, secrets: source.secrets) }
        if let reference, reference == nil {
            throw source.wrong("passwordFile", "is neither an absolute path nor secret:NAME")
        }
        let usesTLS = try source.flag("tls") ?? false
        let authorities = try source.text("ca")
        guard authorities == nil || usesTLS else {
            throw source.wrong("ca", "requires tls")
        }
        guard authorities?.hasPrefix("/") != false else {
            throw source.wrong("ca", "is not an absolute path")
        }
        self.init(
            host: host, port: port, username: username,
            password: text.map(Password.text) ?? reference ?? nil,
            trust: usesTLS ? authorities.map(Trust.authorities) ?? .system : nil)
    }
}
