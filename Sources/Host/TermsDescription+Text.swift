import API
import Provider

extension TermsDescription {
    /// The conditions in words, the sensors first.
    var words: String {
        var parts = only.map { ["only " + $0.joined(separator: ", ")] } ?? []
        parts += [access == "raw" ? "every sample" : "statistics only"]
        if let rate { parts.append("at most \(Format.number(rate))/s") }
        if let precision { parts.append("to ±\(Format.number(precision / 2))") }
        if let history { parts.append("the last \(history)") }
        if let expires { parts.append("until \(Format.time(expires))") }
        if background == false { parts.append("only while you watch") }
        return parts.joined(separator: ", ")
    }
}
