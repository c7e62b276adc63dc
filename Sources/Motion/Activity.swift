/// What a person is doing, in the order of priority: of equals the earlier is taken.
public enum Activity: String, Hashable, Sendable, CaseIterable, Codable {
    case walking, running, cycling, driving, stationary, unknown

    /// The one of several that goes first; `unknown` of none.
    public static func first(of activities: some Collection<Activity>) -> Activity {
        allCases.first(where: activities.contains) ?? .unknown
    }
}

/// What a person is doing, and how sure that is.
public struct ActivityReading: Hashable, Sendable {
    /// How sure it is.
    public enum Confidence: String, Hashable, Sendable, CaseIterable, Codable {
        case low, medium, high
    }

    public let activity: Activity
    public let confidence: Confidence

    public init(_ activity: Activity, _ confidence: Confidence) {
        (self.activity, self.confidence) = (activity, confidence)
    }

    /// The activity that fits best.
    ///
    /// Those that fit less by a hundredth at most are equals. What fits by less than 0.35 is unknown.
    /// High confidence takes a fit of 0.75 and a lead of 0.3, medium one of 0.5 and 0.15.
    /// - Parameter fits: 0 to 1 by activity; what is not there fits not at all.
    public init(fits: [Activity: Double]) {
        let best = fits.values.max() ?? 0
        guard best >= 0.35 else {
            self.init(.unknown, .low)
            return
        }
        let equals = fits.filter { $0.value >= best - 0.01 }.map(\.key)
        let activity = Activity.first(of: equals)
        let next = fits.filter { $0.key != activity }.values.max() ?? 0
        let lead = best - next
        if best >= 0.75, lead >= 0.3 {
            self.init(activity, .high)
        } else {
            self.init(activity, best >= 0.5 && lead >= 0.15 ? .medium : .low)
        }
    }
}
