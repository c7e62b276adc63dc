/// The person's answer about one privilege.
public enum Decision: Hashable, Sendable {
    /// Granted until the run ends.
    case allowOnce
    /// Granted until it is changed.
    case allowAlways
    /// Granted for aggregates only, until it is changed.
    case statisticsOnly
    /// Refused until the run ends.
    case denyOnce
    /// Refused until it is changed.
    case deny
    /// Granted under terms of the person's own, until it is changed.
    case allow(Terms)
}
