import Addresses
import API

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

extension WebOrigin {
    /// Where it is, in the host's words; `nil` for the Internet.
    var placeText: String? {
        switch host.reach {
        case .internet, .nowhere: nil
        case .ownNetwork: "a device in your own network"
        case .ownMachine: "a program on this machine"
        }
    }

    /// The origin in at most so many columns, 12 at least.
    ///
    /// Where it is longer its end stays, because that says whose it is.
    func shown(columns: Int) -> String {
        let text = description
        guard text.utf8.count > columns else { return text }
        let head = scheme.rawValue + "://..."
        return head + text.suffix(max(1, columns - head.count))
    }
}
