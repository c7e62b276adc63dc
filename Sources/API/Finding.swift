/// A finding of a check of `nervous doctor`.
public struct Finding: Codable, Sendable {
    /// What a finding means.
    public enum State: String, Codable, Sendable {
        /// Works.
        case fine
        /// Information.
        case note
        /// Something does not work, or a protection is not in effect.
        case broken
    }

    /// The name of the check, one word.
    public let check: String
    /// What it means.
    public let state: State
    /// One sentence.
    public let message: String
    /// The remedy.
    public var fix: String?
    /// Numbers for scripts.
    public var figures: [String: Int]?

    /// Creates a value from its members.
    public init(
        check: String, state: State, message: String, fix: String? = nil,
        figures: [String: Int]? = nil
    ) {
        (self.check, self.state, self.message) = (check, state, message)
        (self.fix, self.figures) = (fix, figures)
    }
}

/// The findings of checks.
public struct DoctorReport: Codable, Sendable {
    /// Whether nothing is broken.
    public let ok: Bool
    /// The findings, in the order of the checks.
    public let findings: [Finding]
    /// The names of the other checks that the host can make, which were not requested; missing from the
    /// report of the command.
    public let unchecked: [String]?

    /// Creates a report of findings.
    public init(_ findings: [Finding], unchecked: [String]? = nil) {
        ok = !findings.contains { $0.state == .broken }
        (self.findings, self.unchecked) = (findings, unchecked)
    }
}
