/// What a run shows of its page, and when it ends by itself.
public struct RunPresentation: Sendable, Hashable {
    /// Whether the visible text is told whenever it has changed.
    public var showsText: Bool
    /// Whether the document is told at the end.
    public var showsMarkup: Bool
    /// After how long the run ends as if it had nothing left to do; `nil` when only the app ends it.
    public var lifetime: Duration?

    public init(showsText: Bool = false, showsMarkup: Bool = false, lifetime: Duration? = nil) {
        self.showsText = showsText
        self.showsMarkup = showsMarkup
        self.lifetime = lifetime
    }
}
