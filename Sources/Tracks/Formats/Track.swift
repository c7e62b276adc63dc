/// A route as files hold it.
public struct Track: Hashable, Sendable {
    public var name: String?
    public var description: String?
    /// Points between pauses, in the order of the file.
    public var segments: [[RoutePoint]]

    public init(name: String? = nil, description: String? = nil, segments: [[RoutePoint]] = []) {
        (self.name, self.description, self.segments) = (name, description, segments)
    }

    /// A route with the words of a session.
    public init(_ record: RouteRecord, name: String? = nil, description: String? = nil) {
        self.init(name: name, description: description, segments: record.segments)
    }

    /// All fixes, in the order of the file.
    public var fixes: [Fix] { segments.flatMap { $0.map(\.fix) } }

    /// Metres along its lines; none leads from one segment to the next.
    public var distance: Double {
        segments.reduce(0) { $0 + Geodesy.length($1.lazy.map(\.fix.position)) }
    }
}

/// How much of a file is read.
public struct TrackLimits: Hashable, Sendable {
    /// The most bytes.
    public var bytes = 64 << 20
    /// The most points, over all tracks.
    public var points = 1_000_000
    /// The most tracks, and the most segments of all of them.
    public var segments = 100_000
    /// How deep elements may lie in each other.
    public var depth = 32
    /// The most bytes of one text or value; longer words of a person are refused.
    public var text = 65_536

    public init() {}
}
