/// A route that has ended, or how far one is.
public struct RouteRecord: Hashable, Sendable {
    /// Where the length comes from.
    public enum Source: String, Hashable, Sendable, Codable {
        /// The sum of the distances between points.
        case measured
        /// Entered by hand; there are no points then.
        case manual
    }

    /// What a person should know of a route before it is used.
    public enum Warning: String, Hashable, Sendable, CaseIterable, Codable {
        /// Two points that follow each other are more than 200 m apart.
        case jump
        /// There was no signal for more than 30 s on end.
        case signalLost
    }

    /// The points between pauses, in the order of time; no line leads over a pause.
    public let segments: [[RoutePoint]]
    /// In metres.
    public let distance: Double
    public let source: Source
    public let warnings: Set<Warning>

    /// - Throws: ``TrackError`` `.invalid` for one point alone, for points beside a length that was
    ///   entered by hand, and for a length that is negative or not finite.
    public init(
        segments: [[RoutePoint]], distance: Double, source: Source = .measured,
        warnings: Set<Warning> = []
    ) throws(TrackError) {
        let count = segments.reduce(0) { $0 + $1.count }
        guard count != 1 else { throw TrackError(.invalid, "A route has no point, or two.") }
        guard source == .measured || count == 0 else {
            throw TrackError(.invalid, "A route whose length was entered has no points.")
        }
        guard distance.isFinite, distance >= 0 else {
            throw TrackError(.invalid, "The length of a route is zero metres or more.")
        }
        self.segments = segments.filter { !$0.isEmpty }
        self.distance = distance
        self.source = source
        self.warnings = warnings
    }

    /// All points, in the order of time.
    public var points: [RoutePoint] { segments.flatMap(\.self) }
}
