import API
import Auth
import Text

/// The result of an installation, or of a dry run, as text.
struct InstallReport {
    let app: AppDescription
    let isDryRun: Bool

    /// Whether the same package was already installed.
    var isUnchanged: Bool { app.update?.kind == "unchanged" }

    var lines: [String] {
        guard let update = app.update else { return first }
        guard !isUnchanged else {
            return ["\(app.name) \(app.shownVersion) is already installed; nothing changed."]
        }
        return [heading(update)] + signer + reason(update)
            + update.privileges.map { "  " + line($0, isReset: update.reset != nil) }
    }

    private var first: [String] {
        let verb = isDryRun ? "Would install" : "Installed"
        let lines = ["\(verb) \(app.name) \(app.shownVersion)."] + published + signer
        guard app.generation == nil else {
            return lines + ["It declares no privileges: it asks for each sensor on first use."]
        }
        let restricted = app.privileges.filter { $0.restrictedBy != nil }.map { "  \($0.line)" }
        let open = app.privileges.filter {
            $0.restrictedBy == nil && ($0.state == "prompt" || !$0.supported)
        }
        guard !app.privileges.isEmpty else { return lines + ["It needs no privileges."] }
        let kept = restricted.isEmpty ? [] : ["Blocked privileges:"] + restricted
        guard !open.isEmpty else {
            guard restricted.count < app.privileges.count else { return lines + kept }
            let rest = kept.isEmpty ? "everything" : "everything else"
            return lines + kept + ["You have already decided about \(rest) it asks for."]
        }
        return lines + kept + ["When you run it, it asks for:"] + open.map { "  \($0.line)" }
    }

    private func heading(_ update: UpdateDescription) -> String {
        let from = update.from.escapedForDisplay(limit: 24)
        let step =
            update.kind == "replaced"
            ? "\(app.shownVersion), other files under the same version"
            : "\(from) → \(app.shownVersion)"
        return "\(app.name) \(step)\(isDryRun ? " (not installed: this is a dry run)" : "")"
    }

    /// A sentence about the app's name, if its author published it under another one.
    private var published: [String] {
        guard app.generation != nil, let name = app.publishedName ?? app.folder, name != app.name
        else { return [] }
        return [
            "It was published as \(name.escapedForDisplay(limit: 60)); here its name is"
                + " \(app.name), and its page http://\(app.name).localhost."
        ]
    }

    private var signer: [String] {
        app.signerText.map { ["It is \($0)."] } ?? []
    }

    private func reason(_ update: UpdateDescription) -> [String] {
        let verb = isDryRun ? "would be" : "were"
        return switch update.reset {
        case "signed":
            [
                "The previous package was unsigned: this is another app, and all decisions"
                    + " \(verb) forgotten."
            ]
        case "downgrade": ["It is an older version: all decisions \(verb) forgotten."]
        case "unordered":
            ["The versions cannot be compared: all decisions \(verb) forgotten."]
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
            case _ where declared?.restrictedBy != nil: "blocked by policy"
            case _ where isSupported == false: "not supported by this version"
            case "granted": "allowed"
            case "denied": "denied"
            default: "asked at the next run"
            }
        let isNew = isReset || item.change == "added" || item.change == "wider"
        let comparison =
            isReset
            ? ""
            : item.change == "wider"
                ? "wider than before; "
                : item.change == "narrower" ? "narrower than before; " : ""
        return "\(isNew ? "+" : "=") \(item.privilege) (\(comparison)\(state))"
    }
}
