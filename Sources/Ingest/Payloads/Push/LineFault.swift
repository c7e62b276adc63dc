/// Why a line is not kept.
public struct LineFault: Error, Hashable, Sendable {
    /// Counted from 1.
    public let line: Int
    /// The end of a sentence, such as `the quote of a text is not closed`.
    public let message: String

    public init(line: Int, message: String) {
        self.line = line
        self.message = message
    }
}
