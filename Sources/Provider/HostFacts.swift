/// What the server tells of the program it belongs to.
public struct HostFacts: Sendable {
    public let version: String
    public let dataDirectory: String
    /// The TCP port in use; `nil` while the server does not listen.
    public let port: @Sendable () -> Int?

    public init(
        version: String, dataDirectory: String, port: @escaping @Sendable () -> Int?
    ) {
        self.version = version
        self.dataDirectory = dataDirectory
        self.port = port
    }
}
