/// One file of an app, as it was installed.
public struct AppFile: Sendable, Hashable, Codable {
    /// The path inside the app's folder, such as `images/icon.png`.
    public let path: String
    /// The size in bytes.
    public let size: Int
    /// The SHA-256 of the content, in hexadecimal.
    public let sha256: String
}
