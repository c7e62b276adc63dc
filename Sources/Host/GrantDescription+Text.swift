import Provider

extension GrantDescription {
    /// The conditions in words.
    var termsText: String {
        guard let terms else { return "–" }
        var parts = [terms.access == "raw" ? "every sample" : "statistics only"]
        if let rate = terms.rate { parts.append("at most \(Format.number(rate))/s") }
        if let precision = terms.precision {
            parts.append("to ±\(Format.number(precision / 2))")
        }
        if let history = terms.history { parts.append("the last \(history)") }
        if let expires = terms.expires { parts.append("until \(Format.time(expires))") }
        if once { parts.append("this run only") }
        return parts.joined(separator: ", ")
    }
}
