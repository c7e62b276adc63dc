/// Why a measurement did not become a point of a route.
///
/// Rules are tried in this order, and the first that holds is the reason.
public enum RouteDiscard: String, Hashable, Sendable, CaseIterable, Codable {
    /// The route was not active.
    case notActive
    /// Another of the same batch is newer.
    case superseded
    /// The route's length was entered by hand.
    case manualDistance
    /// Not later than the measurement before.
    case stale
    /// In the first seconds after a start or a resumption.
    case warmingUp
    /// Its accuracy is beyond the limit.
    case inaccurate
    /// Its accuracy is worse than that of the measurement before.
    case worseAccuracy
    /// Too near the last point.
    case tooNear
    /// It is less accurate than it is far from the last point, so that it may be no movement at all.
    case accuracyBeyondDistance
    /// The route has as many points as it may have.
    case full
}
