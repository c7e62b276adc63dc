public import Tracks

/// The limits by which fixes become a route.
public struct RouteRules: Hashable, Sendable {
    /// The minimum distance between points in metres.
    public var minimumDistance = 10.0
    /// The accuracy that fixes must have.
    public var accuracy = AccuracyLimit.coarse
    /// The maximum distance, in metres, from its last point to the position at which a paused route
    /// can resume.
    public var resumeDistance = 200.0
    /// Points farther apart than this many metres cause a warning.
    public var jumpDistance = 200.0
    /// A longer loss of signal causes a warning.
    public var signalLoss = Duration.seconds(30)
    /// For this long after a start or resumption, fixes are discarded, because a receiver is
    /// inaccurate at first.
    public var warmUp = Duration.seconds(5)
    /// Without a fix for this long there is no signal.
    public var silence = Duration.seconds(5)
    /// The receiver's clock counts as corrected when the times of fixes went back and have
    /// increased for this long since.
    public var clockCorrection = Duration.seconds(5)
    /// The maximum number of points.
    public var pointLimit = 1_000_000

    /// The default limits.
    public init() {}
}

/// Why a fix did not become a point of a route: the first of these rules that applies.
public enum RouteDiscard: String, Hashable, Sendable, CaseIterable, Codable {
    /// The route was not active.
    case notActive
    /// Another fix of the same batch is newer.
    case superseded
    /// The length of the route was entered.
    case manualDistance
    /// It is not later than the previous fix.
    case stale
    /// It arrived in the first seconds after a start or resumption.
    case warmingUp
    /// Its accuracy is beyond the limit.
    case inaccurate
    /// Its accuracy is worse than that of the previous fix.
    case worseAccuracy
    /// It is too near the last point.
    case tooNear
    /// Its accuracy radius exceeds the distance from the last point, so there may be no movement.
    case accuracyBeyondDistance
    /// The route has the maximum number of points.
    case full
}
