public import Samples

/// What a walk along the chain of the access log found.
public struct LedgerReport: Hashable, Sendable {
    /// The first line that does not fit.
    public struct Fault: Hashable, Sendable {
        /// The line's number.
        public let line: Int64
        /// What is wrong, as a sentence.
        public let message: String
    }

    /// How many lines fit, from the first on.
    public internal(set) var lines = 0
    /// How many lines were cut off before them, as the log itself says.
    public internal(set) var cut: Int64 = 0
    /// When the first and the last of them were written.
    public internal(set) var first: Timestamp?
    public internal(set) var last: Timestamp?
    /// The hash of the last line in hexadecimal; zeros without any.
    public internal(set) var head: String
    /// The first line that does not fit; `nil` when all do.
    public internal(set) var fault: Fault?
    /// Whether the hash that was asked for is one of the chain's; `nil` when none was.
    public internal(set) var hasExpected: Bool?

    /// Whether every line fits, and what was asked for is there.
    public var isIntact: Bool { fault == nil && hasExpected != false }
}
