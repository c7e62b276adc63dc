/// What of a page is told to the host, and when.
struct Presentation {
    /// Nanoseconds between two tellings of the visible text: more often than that nobody reads.
    private static let rest: UInt64 = 100_000_000
    /// Nanoseconds after a change in which more of the same may come.
    private static let pause: UInt64 = 20_000_000

    var text = false
    var markup = false
    /// Whether the app has done something since the text was last looked at.
    private var mayHaveChanged = false
    private var next: UInt64 = 0

    init(text: Bool = false, markup: Bool = false) {
        self.text = text
        self.markup = markup
    }

    /// When the text is to be looked at again; `nil` when nothing can have changed.
    var due: UInt64? { text && mayHaveChanged ? next : nil }

    mutating func noteChange(at now: UInt64) {
        guard !mayHaveChanged else { return }
        mayHaveChanged = true
        next = max(next, now + Self.pause)
    }

    /// Puts the next look off: the page is still loading.
    mutating func wait(at now: UInt64) {
        next = max(next, now + Self.pause)
    }

    mutating func look(at now: UInt64) {
        mayHaveChanged = false
        next = now + Self.rest
    }
}
