public import Sealing

/// Reads the secrets of one source.
///
/// ```swift
/// let secrets = SourceSecrets(store).of("weather.balcony")
/// let password = try secrets.value("broker")
/// ```
public struct SourceSecrets: Hashable, Sendable {
    private let store: SecretStore?
    private let source: String?

    /// - Parameter store: `nil` where nothing is connected.
    public init(_ store: SecretStore? = nil) {
        self.init(store, of: nil)
    }

    private init(_ store: SecretStore?, of source: String?) {
        (self.store, self.source) = (store, source)
    }

    /// The secrets of a source.
    public func of(_ source: String) -> SourceSecrets { SourceSecrets(store, of: source) }

    /// The value of a secret, to be used at once.
    ///
    /// - Throws: ``ConnectorError`` if it does not exist or is locked.
    func value(_ name: SecretName) throws(ConnectorError) -> String {
        guard let store, let source else {
            throw ConnectorError("The secret \(name) is not available here.")
        }
        let value: SecretBytes?
        do {
            value = try store.value(name, of: .source(source))
        } catch {
            throw ConnectorError(
                "The secret \(name) of \(source) cannot be used: \(error.message)"
                    + (error.hint.map { " \($0)" } ?? ""))
        }
        guard let value else {
            throw ConnectorError(
                "The source \(source) has no secret \(name). Set it with: nervous secrets set \(name)"
                    + " --source \(source)")
        }
        return value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    public static func == (left: SourceSecrets, right: SourceSecrets) -> Bool {
        left.source == right.source && left.store === right.store
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(source)
    }
}
