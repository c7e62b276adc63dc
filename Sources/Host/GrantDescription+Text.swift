import Provider

extension GrantDescription {
    /// The conditions in words.
    var termsText: String {
        if let refusals {
            return "you said no \(refusals) times: not asked again until a reset"
        }
        guard let terms else { return "–" }
        return terms.words + (once ? ", this run only" : "")
    }
}
