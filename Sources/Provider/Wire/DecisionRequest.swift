public import Auth

/// A decision as the owner sends it.
public struct DecisionRequest: Codable, Sendable {
    /// `allow-once`, `allow-always`, `statistics-only`, `deny-once`, `deny`, or `allow` with `terms`.
    public let decision: String
    public let terms: TermsDescription?
    /// The run that `allow-once` and `deny-once` are for.
    public let run: String?
    /// Whether the person gave it when asked; who says no twice is not asked again.
    public var answer: Bool?

    /// - Parameters:
    ///   - run: the run that a decision for once is for.
    ///   - isAnswer: whether the person gave it when asked.
    public init(_ decision: Decision, run: String? = nil, isAnswer: Bool = false) {
        answer = isAnswer ? true : nil
        var terms: Terms?
        if case .allow(let own) = decision { terms = own }
        self.terms = terms.map(TermsDescription.init)
        self.run = run
        self.decision =
            switch decision {
            case .allowOnce: "allow-once"
            case .allowAlways: "allow-always"
            case .statisticsOnly: "statistics-only"
            case .denyOnce: "deny-once"
            case .deny: "deny"
            case .allow: "allow"
            }
    }

    /// A grant under these terms; the host checks them.
    public init(terms: TermsDescription) {
        decision = "allow"
        self.terms = terms
        run = nil
    }

    /// - Throws: `Problem` when it is not a decision.
    func checked() throws -> Decision {
        guard run != nil || !decision.hasSuffix("-once") else {
            throw Problem.invalidBody("\(decision) needs the run that it is for.")
        }
        return switch (decision, terms) {
        case ("allow-once", nil): .allowOnce
        case ("allow-always", nil): .allowAlways
        case ("statistics-only", nil): .statisticsOnly
        case ("deny-once", nil): .denyOnce
        case ("deny", nil): .deny
        case ("allow", let terms?): .allow(try terms.terms())
        default:
            throw Problem.invalidBody(
                "decision must be allow-once, allow-always, statistics-only, deny-once, deny,"
                    + " or allow with terms.")
        }
    }
}
