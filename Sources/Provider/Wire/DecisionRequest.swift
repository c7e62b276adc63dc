public import Auth
import Samples

/// A decision as the owner sends it.
public struct DecisionRequest: Codable, Sendable {
    /// `allow-once`, `allow-always`, `statistics-only`, `deny-once`, `deny`, or `allow` with `terms`.
    public let decision: String
    public let terms: TermsDescription?
    /// The run that `allow-once` and `deny-once` are for.
    public let run: String?
    /// Whether the person gave it when asked; who says no twice is not asked again.
    public var answer: Bool?
    /// The instances that it is for, where no terms say so.
    public var only: [String]?
    /// Those that the person saw beside them; what there is now where it is not said.
    public var passedOver: [String]?

    /// - Parameters:
    ///   - run: the run that a decision for once is for.
    ///   - isAnswer: whether the person gave it when asked.
    ///   - choice: the instances that it is for; `nil` for all.
    public init(
        _ decision: Decision, run: String? = nil, isAnswer: Bool = false,
        among choice: InstanceChoice? = nil
    ) {
        answer = isAnswer ? true : nil
        only = choice?.chosen.map(\.description)
        passedOver = choice?.excluded.map(\.description)
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
        only = nil
        passedOver = nil
    }

    /// The names of the instances that it is for, and of those beside them where that is said; `nil`
    /// where it is for all.
    ///
    /// - Throws: `Problem` when it says so twice, or of what gives nothing.
    func choice() throws -> (chosen: [String], passedOver: [String]?)? {
        guard only == nil || terms?.only == nil else {
            throw Problem.invalidBody("only stands beside the terms and in them.")
        }
        let isOfTerms = terms?.only != nil
        let others = isOfTerms ? terms?.passedOver : passedOver
        guard let chosen = only ?? terms?.only else {
            guard passedOver == nil, terms?.passedOver == nil else {
                throw Problem.invalidBody("passedOver goes with only.")
            }
            return nil
        }
        guard decision != "deny", decision != "deny-once" else {
            throw Problem.invalidBody("only is for what is allowed; deny each of the others.")
        }
        return (chosen, others)
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
