import API
import Provider

extension GrantDescription {
    /// The state in a word.
    var shownState: String { restrictedBy == nil ? state : "restricted" }

    /// The conditions in words.
    var termsText: String {
        if let refusals {
            return "you said no \(refusals) times: not asked again until a reset"
        }
        if let restrictedBy { return "not in force: \(restrictedBy)" }
        guard let terms else { return "–" }
        return terms.words + (once ? ", this run only" : "")
    }
}
