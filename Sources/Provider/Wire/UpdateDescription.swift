import Auth
import JSApps

/// What an installation over an installed app did, or would do.
public struct UpdateDescription: Codable, Sendable {
    public struct Change: Codable, Sendable {
        public let privilege: String
        /// `added`, `wider`, `narrower`, `unchanged` or `removed`.
        public let change: String
        /// `granted`, `denied` or `prompt` from now on; not there for `removed`.
        public let state: String?
    }

    /// `update`, `replaced` for other files under the same version, `unchanged`, `downgrade`, or
    /// `unordered` where the versions cannot be compared.
    public let kind: String
    /// The version that was there.
    public let from: String
    /// Why every decision was forgotten: `signed` because nobody signed the version before,
    /// `downgrade` or `unordered`; not there where decisions stay.
    public let reset: String?
    /// Each privilege that is declared now, in order, then those that were.
    public let privileges: [Change]

    /// - Returns: `nil` for an app that was not there before.
    init?(_ installation: Installation, _ standing: PrivilegeStatus) {
        guard let from = installation.updateCheck.previousVersion else { return nil }
        self.from = from
        kind = installation.updateCheck.kind.rawValue
        reset = installation.updateCheck.reset?.rawValue
        let declared = installation.app.manifest.privileges
        let change =
            standing.change
            ?? DeclarationChange(from: installation.previous?.privileges ?? [], to: declared)
        privileges = change.items.map { item in
            let isDeclared = item.kind != .removed
            let state = AppDescription.DeclaredPrivilege(item.privilege, standing).state
            return Change(
                privilege: item.privilege.id.description, change: item.kind.rawValue,
                state: isDeclared ? state : nil)
        }
    }
}
