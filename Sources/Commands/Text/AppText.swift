import API
import Addresses
import Auth
import JSApps
import Samples
import Text

extension AppDescription {
    /// The version, escaped and cut.
    var shownVersion: String { version.escapedForDisplay(limit: 24) }

    /// The signer as a clause; `nil` for an unsigned app.
    var signerText: String? {
        signer.map { signer in
            "signed by \(signer.name ?? "an unknown key") \(SignerKey.shortened(signer.fingerprint))"
        }
    }

    /// The signer in a table.
    var shownSigner: String {
        guard let signer else { return "unsigned" }
        let fingerprint = SignerKey.shortened(signer.fingerprint)
        return signer.name.map { "\($0) \(fingerprint)" } ?? fingerprint
    }
}

extension AppDescription.DeclaredPrivilege {
    /// The uses that it permits, in the host's words.
    var meaning: String {
        origin == nil
            ? PrivilegeID(privilege).map { PrivilegeWords($0).meaning } ?? privilege : callMeaning
    }

    private var callMeaning: String {
        let shown = (origin ?? "").escapedForDisplay(limit: WebOrigin.longest)
        let place = origin.flatMap { WebOrigin($0) }.flatMap(\.placeText).map { ", \($0)" } ?? ""
        return "call \(shown)\(place)" + (pin == nil ? "" : ", with a pinned certificate")
    }

    /// One line, in which the reason is marked as the app's.
    var line: String {
        let claim =
            reason.isEmpty
            ? "no reason given" : "the app's reason: \(reason.escapedForDisplay(limit: 60))"
        let note =
            restrictedBy.map { " (blocked by \($0))" }
            ?? (supported ? "" : " (not supported by this version)")
        return "\(privilege): \(meaning); \(claim)\(note)"
    }

    /// The privilege for a prompt.
    var question: Privilege? {
        PrivilegeID(privilege).flatMap {
            Privilege(asked: $0, reason: reason, pin: pin.flatMap { CertificatePin($0) })
        }
    }
}

extension Privilege {
    /// The privilege for a prompt; `nil` if it cannot be granted.
    init?(asked id: PrivilegeID, reason: String, pin: CertificatePin? = nil) {
        guard let resource = Privilege.Resource(id, pin: pin) else { return nil }
        self.init(resource, reason: reason)
    }
}

extension AppDescription {
    /// A row of the table of an app's budget and the usage of its last run.
    struct BudgetLine {
        let name: String
        let limit: String
        let used: String
    }

    var budgetLines: [BudgetLine] {
        let usage = lastRun?.usage
        func seconds(_ milliseconds: Double?) -> String {
            milliseconds.map { Format.number($0 / 1000) + " s" } ?? "–"
        }
        func bytes(_ count: Int?) -> String { count.map { Format.bytes(Double($0)) } ?? "–" }
        func count(_ count: Int?) -> String { count.map { "\($0)" } ?? "–" }
        let lasted = lastRun.flatMap { run in run.ended.map { $0 - run.started } }
        return [
            BudgetLine(name: "turn", limit: seconds(budget.turn), used: ""),
            BudgetLine(name: "turn-cpu", limit: seconds(budget.turnCPU), used: ""),
            BudgetLine(name: "cpu", limit: seconds(budget.cpu), used: seconds(usage?.cpu)),
            BudgetLine(name: "cpu-per-minute", limit: seconds(budget.cpuPerMinute), used: ""),
            BudgetLine(
                name: "memory", limit: "\(bytes(budget.memory)) private",
                used: usage.map { "\(bytes($0.memory)) resident" } ?? "–"),
            BudgetLine(
                name: "duration", limit: budget.duration.map { seconds($0) } ?? "none",
                used: seconds(lasted)),
            BudgetLine(
                name: "calls-per-minute", limit: count(budget.callsPerMinute),
                used: usage.map { "\($0.calls) in all" } ?? "–"),
            BudgetLine(
                name: "log-per-minute", limit: bytes(budget.logPerMinute),
                used: usage.map { "\(bytes($0.logged)) in all" } ?? "–"),
            BudgetLine(
                name: "fetch",
                limit:
                    "\(budget.fetch.callsPerMinute) a minute, \(budget.fetch.callsAtOnce) at once,"
                    + " \(seconds(budget.fetch.duration))",
                used: ""),
            BudgetLine(
                name: "fetch-bytes",
                limit:
                    "\(bytes(budget.fetch.requestBytes)) out, \(bytes(budget.fetch.answerBytes)) in",
                used: ""),
            BudgetLine(name: "samples", limit: "as granted", used: count(usage?.samples)),
        ]
    }
}

extension RunDescription {
    /// A message if the run did not end normally; `nil` if it did.
    var failureMessage: String? {
        guard let ending else { return nil }
        if gaveUp { return "\(app) is not restarted: Nervous \(gaveUpText)." }
        let detail = (ending.detail ?? "").escapedForDisplay(limit: 200)
        switch ending.name {
        case "finished", "stopped": return nil
        case "budget-turn":
            return "\(app) was ended: a turn took too long (budget turn)."
        case "budget-turn-cpu":
            return "\(app) was ended: probably an endless loop (budget turn-cpu)."
        case "budget-memory":
            return "\(app) was ended: it exceeded its memory (budget memory)."
        case "budget-total-memory":
            return "\(app) was ended: all apps together used too much memory, and it the most"
                + " (budget total-memory)."
        case let name where name.hasPrefix("budget-"):
            let budget = name.dropFirst("budget-".count)
            return "\(app) was ended: it exceeded its budget (budget \(budget))."
        case "unresponsive": return "\(app) was ended: it did not respond to the host."
        case "sandbox-violation":
            return "\(app) was ended: it violated its confinement."
        case "protocol-violation": return "\(app) was ended: it violated the protocol: \(detail)"
        case "crashed": return "\(app) crashed: \(detail)"
        case "failed-to-start": return "\(app) could not start: \(detail)"
        default: return "\(app) ended: \(ending.name.escapedForDisplay(limit: 40))"
        }
    }

    /// The state of a background run that failed too often, with its last failure.
    private var gaveUpText: String {
        let reason =
            switch ending?.name {
            case "finished", "crashed", "failed-to-start": ending?.detail ?? ending?.name
            default: ending?.name
            }
        return "gave up after \(restarts + 1) failures: "
            + (reason ?? "unknown").escapedForDisplay(limit: 80)
    }

    /// The state, or how it ended.
    var stateText: String {
        let isEnded = state == "ended"
        let end = gaveUp ? gaveUpText : ending?.name.escapedForDisplay(limit: 40)
        var words = [isEnded ? end ?? "ended" : state]
        if background, !isEnded { words.append("background") }
        if layers?.isEmpty == true { words.append("not confined") }
        return words.joined(separator: ", ")
    }
}
