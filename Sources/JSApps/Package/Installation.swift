/// What an installation did, or would do.
public struct Installation: Sendable {
    /// The app as it is now, or would be; its files can be read only where it was installed.
    public let app: InstalledApp
    /// How it follows the one before.
    public let succession: Succession
    /// The manifest of the one before, where there was one and it was whole.
    public let previous: Manifest?
}
