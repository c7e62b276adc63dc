/// Decides when the visible text and the document of a page are reported.
struct Presentation {
    /// Nanoseconds between two reports of the visible text.
    private static let interval: UInt64 = 100_000_000
    /// Nanoseconds to wait for further changes.
    private static let delay: UInt64 = 20_000_000

    var text = false
    var markup = false
    /// Whether the app has run since the text was last read.
    private var mayHaveChanged = false
    private var next: UInt64 = 0

    init(text: Bool = false, markup: Bool = false) {
        self.text = text
        self.markup = markup
    }

    /// When to read the text again; `nil` if it cannot have changed.
    var due: UInt64? { text && mayHaveChanged ? next : nil }

    mutating func noteChange(at now: UInt64) {
        guard !mayHaveChanged else { return }
        mayHaveChanged = true
        next = max(next, now + Self.delay)
    }

    /// Delays the next reading, because the page is still loading.
    mutating func postpone(at now: UInt64) {
        next = max(next, now + Self.delay)
    }

    mutating func noteReading(at now: UInt64) {
        mayHaveChanged = false
        next = now + Self.interval
    }
}
