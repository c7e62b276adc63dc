/// What an installation may do.
public struct InstallTerms: Sendable, Hashable {
    /// Whether an older version may take the place of a newer one.
    public var allowsDowngrade: Bool
    /// Whether everything is checked and nothing changed.
    public var isDryRun: Bool

    /// Terms of an ordinary installation, unless told otherwise.
    public init(allowsDowngrade: Bool = false, isDryRun: Bool = false) {
        self.allowsDowngrade = allowsDowngrade
        self.isDryRun = isDryRun
    }
}
