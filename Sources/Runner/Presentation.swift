/// Decides when the visible text of a page is reported, and holds whether its document is reported
/// at the end of the run.
struct Presentation {
    /// Nanoseconds between two reports of the visible text.
    private static let interval: UInt64 = 100_000_000
    /// Nanoseconds to wait for further changes.
    private static let delay: UInt64 = 20_000_000

    let reportsText: Bool
    let reportsMarkup: Bool
    /// Whether the app has run since the text was last read.
    private var mayHaveChanged = false
    private var next: UInt64 = 0

    init(reportsText: Bool = false, reportsMarkup: Bool = false) {
        self.reportsText = reportsText
        self.reportsMarkup = reportsMarkup
    }

    /// When to read the text again; `nil` if it cannot have changed.
    var due: UInt64? { reportsText && mayHaveChanged ? next : nil }

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
