package import API
package import Auth
import Provider
import Samples

extension DecisionRequest {
    /// - Parameters:
    ///   - run: the run of a decision for one run.
    ///   - isAnswer: whether the owner answered a prompt.
    ///   - choice: the chosen sensors; `nil` for all.
    package init(
        _ decision: Decision, run: String? = nil, isAnswer: Bool = false,
        among choice: InstanceChoice? = nil
    ) {
        var terms: TermsDescription?
        if case .allow(let own) = decision { terms = own.wireDescription }
        let name =
            switch decision {
            case .allowOnce: "allow-once"
            case .allowAlways: "allow-always"
            case .statisticsOnly: "statistics-only"
            case .denyOnce: "deny-once"
            case .deny: "deny"
            case .allow: "allow"
            }
        self.init(
            decision: name, terms: terms, run: run, answer: isAnswer ? true : nil,
            only: choice?.chosen.map(\.description),
            excluded: choice?.excluded.map(\.description))
    }
}

extension Terms {
    /// The terms as in the API.
    package var wireDescription: TermsDescription { TermsDescription(self) }
}
