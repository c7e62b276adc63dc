import Text
public import Tracks

extension Route {
    /// How well the place is known just now.
    public enum Signal: Hashable, Sendable, CustomStringConvertible {
        /// The radius in metres, or `nil` where the receiver does not tell it.
        case accuracy(Double?)
        case none

        /// For a person: `±5 m`, `accuracy unknown` or `no signal`.
        public var description: String {
            switch self {
            case .accuracy(let metres?): "±\(DecimalText(metres, digits: 0)) m"
            case .accuracy(nil): "accuracy unknown"
            case .none: "no signal"
            }
        }
    }

    /// Of the newest measurement, unless that is more than 5 s ago or the receiver has lost its place.
    public func signal(at now: Duration) -> Signal {
        guard let received, max(now, clock) - received <= rules.silence else { return .none }
        return .accuracy(shownAccuracy)
    }

    /// How long there has been no measurement that counts, while it is active.
    public func silence(at now: Duration) -> Duration {
        state == .active ? max(now, clock) - heard : .zero
    }

    /// What to warn of once the route ends.
    public var warnings: Set<RouteRecord.Warning> {
        var warnings: Set<RouteRecord.Warning> = []
        if jumps > 0 { warnings.insert(.jump) }
        if signalLosses > 0 { warnings.insert(.signalLost) }
        return warnings
    }

    /// The route as it stands; a single point is left out, since it is no route.
    public var record: RouteRecord {
        get throws(TrackError) {
            try RouteRecord(
                segments: pointCount < 2 ? [] : segments, distance: distance,
                source: entered == nil ? .measured : .manual, warnings: warnings)
        }
    }
}
