import Auth
import Foundation
import JSApps
import Samples

/// An installed app as the API tells of it.
///
/// Its texts are the package's own: escape them.
struct AppDescription: Encodable {
    struct DeclaredPrivilege: Encodable {
        let privilege: String
        let sensor: String?
        let access: String?
        /// Origins, of `net`.
        let origins: [String]?
        let reason: String
        /// `granted`, `denied` or `prompt`.
        let state: String
        /// Whether this version of the host can give it at all.
        let supported: Bool
    }

    let name: String
    let version: String
    let title: String?
    let description: String?
    let author: String?
    let license: String?
    /// Milliseconds since 1970.
    let installed: Double
    /// SHA-256 over names and contents of its files.
    let fingerprint: String
    let files: Int
    let privileges: [DeclaredPrivilege]

    init(_ app: InstalledApp, undecided: Set<PrivilegeID>, denied: Set<PrivilegeID>) {
        name = app.name.text
        version = app.manifest.version
        title = app.manifest.title
        description = app.manifest.summary
        author = app.manifest.author
        license = app.manifest.license
        installed = (app.index.installed.timeIntervalSince1970 * 1000).rounded()
        fingerprint = app.index.contentSHA256
        files = app.index.files.count
        privileges = app.manifest.privileges.map { privilege in
            DeclaredPrivilege(
                privilege, isUndecided: undecided.contains(privilege.id),
                isDenied: denied.contains(privilege.id))
        }
    }
}

extension AppDescription.DeclaredPrivilege {
    init(_ privilege: Privilege, isUndecided: Bool, isDenied: Bool) {
        var origins: [String]?
        if case .net(let list) = privilege.resource { origins = list }
        let access = privilege.id.access
        let isSupported = access == .raw || access == .stats
        self.init(
            privilege: privilege.id.description, sensor: privilege.id.sensor?.description,
            access: access?.rawValue, origins: origins, reason: privilege.reason,
            state: !isSupported || isDenied ? "denied" : isUndecided ? "prompt" : "granted",
            supported: isSupported)
    }
}
