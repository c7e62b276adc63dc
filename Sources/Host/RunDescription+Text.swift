import API
import Auth
import Provider
import Text

extension RunDescription {
    /// One line about an end that was not the app's own; `nil` for one that was.
    var complaint: String? {
        guard let ending else { return nil }
        let detail = (ending.detail ?? "").escapedForDisplay(limit: 200)
        switch ending.name {
        case "finished", "stopped": return nil
        case "budget-turn":
            return "\(app) worked on one thing for too long and was ended (budget turn)."
        case "budget-turn-cpu":
            return "\(app) was ended: it seems to be in an endless loop (budget turn-cpu)."
        case "budget-memory":
            return "\(app) needed more memory than it may have and was ended (budget memory)."
        case let name where name.hasPrefix("budget-"):
            let budget = name.dropFirst("budget-".count)
            return "\(app) used more than it may and was ended (budget \(budget))."
        case "unresponsive": return "\(app) did not answer the host and was ended."
        case "sandbox-violation":
            return "\(app) tried what its confinement forbids and was ended."
        case "protocol-violation": return "\(app) broke the protocol and was ended: \(detail)"
        case "crashed": return "\(app) crashed: \(detail)"
        case "failed-to-start": return "\(app) could not start: \(detail)"
        default: return "\(app) ended: \(ending.name.escapedForDisplay(limit: 40))"
        }
    }

    /// What goes on, or how it ended, in a few words.
    var stateText: String {
        let isEnded = state == "ended"
        var words = [isEnded ? ending?.name.escapedForDisplay(limit: 40) ?? "ended" : state]
        if background, !isEnded { words.append("background") }
        if gaveUp { words.append("gave up") }
        if layers?.isEmpty == true { words.append("not confined") }
        return words.joined(separator: ", ")
    }
}
