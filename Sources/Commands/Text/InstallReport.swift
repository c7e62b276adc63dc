import Auth
import API
import Text

/// What installing an app did, or would do, in lines for a person.
struct InstallReport {
    let app: AppDescription
    let isDryRun: Bool

    /// Nothing for the very same package, where only what happened is wanted.
    var isUnchanged: Bool { app.update?.kind == "unchanged" }

    var lines: [String] {
        guard let update = app.update else { return first }
        guard !isUnchanged else {
            return ["\(app.name) \(app.shownVersion) is installed already; nothing changes."]
        }
        return [heading(update)] + signer + reason(update)
            + update.privileges.map { "  " + line($0, isReset: update.reset != nil) }
    }

    private var first: [String] {
        let verb = isDryRun ? "Would install" : "Installed"
        let lines = ["\(verb) \(app.name) \(app.shownVersion)."] + published + signer
        guard app.generation == nil else {
            return lines + ["It declares nothing: it asks for each sensor when it first uses it."]
        }
        let restricted = app.privileges.filter { $0.restrictedBy != nil }.map { "  \($0.line)" }
        let open = app.privileges.filter {
            $0.restrictedBy == nil && ($0.state == "prompt" || !$0.supported)
        }
        guard !app.privileges.isEmpty else { return lines + ["It asks for nothing."] }
        let kept = restricted.isEmpty ? [] : ["It wants and does not get:"] + restricted
        guard !open.isEmpty else {
            guard restricted.count < app.privileges.count else { return lines + kept }
            let rest = kept.isEmpty ? "everything" : "everything else"
            return lines + kept + ["You have decided already about \(rest) it asks for."]
        }
        return lines + kept + ["When you run it, it will ask for:"] + open.map { "  \($0.line)" }
    }

    private func heading(_ update: UpdateDescription) -> String {
        let from = update.from.escapedForDisplay(limit: 24)
        let step =
            update.kind == "replaced"
            ? "\(app.shownVersion), other files under the same version"
            : "\(from) → \(app.shownVersion)"
        return "\(app.name) \(step)\(isDryRun ? " (not installed: this is a dry run)" : "")"
    }

    /// A name that is not the author's is said, since it is the one to use from now on.
    private var published: [String] {
        guard app.generation != nil, let name = app.publishedName ?? app.folder, name != app.name
        else { return [] }
        return [
            "It was published as \(name.escapedForDisplay(limit: 60)); here it is \(app.name), and"
                + " its page http://\(app.name).localhost."
        ]
    }

    private var signer: [String] {
        app.signerText.map { ["It is \($0)."] } ?? []
    }

    private func reason(_ update: UpdateDescription) -> [String] {
        let verb = isDryRun ? "would be" : "was"
        return switch update.reset {
        case "signed":
            [
                "Nobody signed the one before: this counts as another app, and every decision"
                    + " \(verb) forgotten."
            ]
        case "downgrade": ["It is an older version: every decision \(verb) forgotten."]
        case "unordered":
            ["Which version is newer cannot be told: every decision \(verb) forgotten."]
        default: []
        }
    }

    private func line(_ item: UpdateDescription.Change, isReset: Bool) -> String {
        guard item.change != "removed" else {
            return "- \(item.privilege) (no longer asked for; the decision is forgotten)"
        }
        let declared = app.privileges.first { $0.privilege == item.privilege }
        let isSupported = declared?.supported
        let state =
            switch item.state {
            case _ where declared?.restrictedBy != nil: "nobody is given it on this machine"
            case _ where isSupported == false: "this version of the host cannot give it"
            case "granted": "allowed"
            case "denied": "denied"
            default: "asked at the next run"
            }
        let isNew = isReset || item.change == "added" || item.change == "wider"
        let comparison =
            isReset
            ? ""
            : item.change == "wider"
                ? "more than before; "
                : item.change == "narrower" ? "less than before; " : ""
        return "\(isNew ? "+" : "=") \(item.privilege) (\(comparison)\(state))"
    }
}
