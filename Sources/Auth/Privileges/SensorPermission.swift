/// How a client stands with a sensor, in the words of the W3C Permissions API and one more.
public enum SensorPermission: String, Hashable, Sendable {
    /// Raw samples are granted.
    case granted
    /// Only aggregates are granted.
    case statistics
    case denied
    /// Nobody has decided.
    case prompt
}
