/// What one check found.
struct Finding: Encodable, Sendable {
    enum State: String, Encodable, Sendable {
        /// As it should be.
        case fine
        /// Worth knowing, and nothing is wrong.
        case note
        /// Something does not work or does not protect.
        case broken
    }

    let check: String
    let state: State
    /// One sentence.
    let message: String
    /// The command that helps.
    var fix: String?
    /// Figures, for machines.
    var figures: [String: Int]?

    static func fine(_ check: String, _ message: String) -> Finding {
        Finding(check: check, state: .fine, message: message)
    }

    static func note(_ check: String, _ message: String, fix: String? = nil) -> Finding {
        Finding(check: check, state: .note, message: message, fix: fix)
    }

    static func broken(_ check: String, _ message: String, fix: String?) -> Finding {
        Finding(check: check, state: .broken, message: message, fix: fix)
    }
}
