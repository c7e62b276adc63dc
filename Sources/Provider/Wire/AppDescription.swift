import Addresses
import AppRuns
import Auth
import Foundation
import JSApps
import Samples

/// An installed app as the API tells of it.
///
/// Its texts are the package's own: escape them.
public struct AppDescription: Codable, Sendable {
    public struct DeclaredPrivilege: Codable, Sendable {
        public let privilege: String
        public let sensor: String?
        public let access: String?
        /// The server, of `net`.
        public let origin: String?
        /// The certificate that the server must show.
        public let pin: String?
        public let reason: String
        /// `granted`, `denied` or `prompt`.
        public let state: String
        /// Whether this version of the host can give it at all.
        public let supported: Bool
        /// Whether the person said no so often that it is not asked any more.
        public let exhausted: Bool?
        /// The file of the policy that lets nobody have it; its state is `denied` then.
        public let restrictedBy: String?
        /// The sensors that came after the person had chosen among those that it is about.
        ///
        /// Each is another question. Not there where there are none.
        public let newcomers: [String]?
    }

    public struct Signer: Codable, Sendable {
        /// The public key as text.
        public let key: String
        /// `ed25519:` and the SHA-256 of the key.
        public let fingerprint: String
        /// The name that the person gave the key.
        public let name: String?
    }

    public let name: String
    public let version: String
    public let title: String?
    public let description: String?
    public let author: String?
    public let license: String?
    /// Milliseconds since 1970.
    public let installed: Double
    /// SHA-256 over names and contents of its files.
    public let fingerprint: String
    public let files: Int
    /// The form of a published app's package, `first` or `axon`; not there for the form of today.
    ///
    /// Such an app declares nothing, and asks for what it uses when it uses it.
    public let generation: String?
    /// The name that its author gave a published app, where it has another here.
    public let publishedName: String?
    /// The folder that a published app came in.
    public let folder: String?
    /// Who signed the package; not there where nobody did.
    public let signer: Signer?
    /// The version that this one has updated; not there where it inherits from none.
    public let updatedFrom: String?
    public let privileges: [DeclaredPrivilege]
    /// The newest run of it that was started.
    public let lastRun: RunDescription?
    /// What it may use.
    public let budget: BudgetDescription
    /// How it took the place of another version; only in the answer to an installation.
    public let update: UpdateDescription?

    init(
        _ app: InstalledApp, _ standing: PrivilegeStatus,
        newcomers: [PrivilegeID: [SensorID]] = [:],
        signerName: String?, lastRun: RunReport?,
        budget: RunBudget, update: UpdateDescription? = nil
    ) {
        name = app.name.text
        version = app.manifest.version
        title = app.manifest.title
        description = app.manifest.summary
        author = app.manifest.author
        license = app.manifest.license
        installed = (app.index.installed.timeIntervalSince1970 * 1000).rounded()
        fingerprint = app.index.contentSHA256
        files = app.index.files.count
        self.lastRun = lastRun.map { RunDescription($0) }
        signer = app.signer.map {
            Signer(key: $0.text, fingerprint: $0.fingerprint, name: signerName)
        }
        generation = app.generation.isPublished ? app.generation.rawValue : nil
        publishedName = app.manifest.publishedName
        folder = app.index.folder
        updatedFrom = app.index.updatedFrom
        privileges = app.manifest.privileges.map {
            DeclaredPrivilege($0, standing, newcomers: newcomers[$0.id] ?? [])
        }
        self.budget = BudgetDescription(budget)
        self.update = update
    }
}

extension AppDescription.DeclaredPrivilege {
    init(_ privilege: Privilege, _ standing: PrivilegeStatus, newcomers: [SensorID] = []) {
        let isUndecided = standing.undecided.contains(privilege.id)
        let isDenied = standing.denied.contains(privilege.id)
        let isExhausted = standing.exhausted.contains(privilege.id)
        var pin: CertificatePin?
        if case .net(_, let own) = privilege.resource { pin = own }
        let access = privilege.id.access
        let isSupported = privilege.id.isGrantable
        self.init(
            privilege: privilege.id.description, sensor: privilege.id.sensor?.description,
            access: access?.rawValue, origin: privilege.id.origin?.description,
            pin: pin?.description, reason: privilege.reason,
            state: !isSupported || isDenied ? "denied" : isUndecided ? "prompt" : "granted",
            supported: isSupported, exhausted: isExhausted ? true : nil,
            restrictedBy: standing.restricted[privilege.id]?.file,
            newcomers: newcomers.isEmpty ? nil : newcomers.map(\.description))
    }
}
