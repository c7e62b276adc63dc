import RunnerProtocol

/// What this program is.
enum Version {
    static let number = Release.version
}
