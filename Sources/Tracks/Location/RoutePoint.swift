/// A point of a route.
public struct RoutePoint: Hashable, Sendable {
    public let fix: Fix
    /// Whether the route was paused here.
    public var isVia: Bool

    public init(_ fix: Fix, isVia: Bool = false) {
        self.fix = fix
        self.isVia = isVia
    }
}
