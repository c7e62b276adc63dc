public import Foundation

/// An installed app.
///
/// Its texts come from the package: escape them before display.
public struct AppDescription: Codable, Sendable {
    /// A privilege that the manifest declares, and the decision about it.
    public struct DeclaredPrivilege: Codable, Sendable {
        /// The privilege, such as `sensor:cpu:stats`.
        public let privilege: String
        /// The sensor or kind; missing if the privilege is not for a sensor.
        public let sensor: String?
        /// `raw`, `stats` or `write`; missing if the privilege is not for a sensor.
        public let access: String?
        /// The server of a `net` privilege; missing for others.
        public let origin: String?
        /// The certificate that the server of a `net` privilege must present.
        public let pin: String?
        /// Why the app needs the privilege, in the words of the app's author.
        public let reason: String
        /// `granted`, `denied` or `prompt`.
        public let state: String
        /// Whether this version of the host can grant the privilege.
        public let supported: Bool
        /// `true` after two denials for one run each: the owner is not asked again.
        public let exhausted: Bool?
        /// The policy file that blocks the privilege, whose state is then `denied`.
        public let restrictedBy: String?
        /// The sensors of the kind that were added after the owner had chosen among them.
        ///
        /// Missing if there are none. Each of these sensors needs a decision of its own.
        public let newSensors: [String]?
        /// What the privilege can reveal about the owner, in the words of the host: a clause that completes
        /// “that can reveal”; missing if it cannot be granted.
        public let reveals: String?

        /// Creates a value from its members.
        public init(
            privilege: String, sensor: String? = nil, access: String? = nil, origin: String? = nil,
            pin: String? = nil, reason: String, state: String, supported: Bool,
            exhausted: Bool? = nil, restrictedBy: String? = nil, newSensors: [String]? = nil,
            reveals: String? = nil
        ) {
            self.privilege = privilege
            self.sensor = sensor
            self.access = access
            self.origin = origin
            self.pin = pin
            self.reason = reason
            self.state = state
            self.supported = supported
            self.exhausted = exhausted
            self.restrictedBy = restrictedBy
            self.newSensors = newSensors
            self.reveals = reveals
        }
    }

    /// Who signed a package.
    public struct Signer: Codable, Sendable {
        /// The public key as text.
        public let key: String
        /// `ed25519:` and the SHA-256 of the key.
        public let fingerprint: String
        /// The owner's name for the key.
        public let name: String?

        /// Creates a value from its members.
        public init(key: String, fingerprint: String, name: String? = nil) {
            self.key = key
            self.fingerprint = fingerprint
            self.name = name
        }
    }

    /// The app's name.
    public let name: String
    /// Its version.
    public let version: String
    /// Its title for display.
    public let title: String?
    /// A description.
    public let description: String?
    /// Its author.
    public let author: String?
    /// Its license.
    public let license: String?
    /// When it was installed, in milliseconds since 1970.
    public let installed: Double
    /// SHA-256 of the names and contents of its files.
    public let fingerprint: String
    /// The number of its files.
    public let files: Int
    /// The bytes of all its files.
    public let size: Int?
    /// The package format of a nervousnet app, `first` or `axon`; missing for the current format.
    ///
    /// Such an app declares no privileges; each is requested when the app first uses it.
    public let generation: String?
    /// The name that its author gave a nervousnet app, if it differs.
    public let publishedName: String?
    /// The folder that contained a nervousnet app.
    public let folder: String?
    /// Who signed the package; missing if it is not signed.
    public let signer: Signer?
    /// The version that the last update replaced while keeping the decisions; missing if there was
    /// no such update.
    public let updatedFrom: String?
    /// The declared privileges, in order.
    public let privileges: [DeclaredPrivilege]
    /// The last run.
    public let lastRun: RunDescription?
    /// The limits of its runs.
    public let budget: BudgetDescription
    /// How the app replaced another version; only in the answer to an installation.
    public let update: UpdateDescription?

    /// Creates a value from its members.
    public init(
        name: String, version: String, title: String? = nil, description: String? = nil,
        author: String? = nil, license: String? = nil, installed: Double, fingerprint: String,
        files: Int, size: Int? = nil, generation: String? = nil, publishedName: String? = nil,
        folder: String? = nil,
        signer: Signer? = nil, updatedFrom: String? = nil, privileges: [DeclaredPrivilege],
        lastRun: RunDescription? = nil, budget: BudgetDescription, update: UpdateDescription? = nil
    ) {
        self.name = name
        self.version = version
        self.title = title
        self.description = description
        self.author = author
        self.license = license
        self.installed = installed
        self.fingerprint = fingerprint
        self.files = files
        self.size = size
        self.generation = generation
        self.publishedName = publishedName
        self.folder = folder
        self.signer = signer
        self.updatedFrom = updatedFrom
        self.privileges = privileges
        self.lastRun = lastRun
        self.budget = budget
        self.update = update
    }
}

/// The changes that an installation makes to an installed app.
public struct UpdateDescription: Codable, Sendable {
    /// The change of one privilege.
    public struct Change: Codable, Sendable {
        /// The privilege.
        public let privilege: String
        /// `added`, `wider`, `narrower`, `unchanged` or `removed`.
        public let change: String
        /// Its new state, `granted`, `denied` or `prompt`; missing for `removed`.
        public let state: String?

        /// Creates a value from its members.
        public init(privilege: String, change: String, state: String? = nil) {
            self.privilege = privilege
            self.change = change
            self.state = state
        }
    }

    /// `update`, `replaced` for other files of the same version, `unchanged`, `downgrade`, or
    /// `unordered` if the versions cannot be compared.
    public let kind: String
    /// The version before.
    public let from: String
    /// Why all decisions were forgotten: `signed` (only the new version has a signature), `downgrade`
    /// or `unordered`; missing if decisions are kept.
    public let reset: String?
    /// The declared privileges in order, then the removed ones.
    public let privileges: [Change]

    /// Creates a value from its members.
    public init(kind: String, from: String, reset: String? = nil, privileges: [Change]) {
        self.kind = kind
        self.from = from
        self.reset = reset
        self.privileges = privileges
    }
}

/// The limits of the runs of an app.
public struct BudgetDescription: Codable, Sendable {
    /// Milliseconds that one turn may take.
    public let turn: Double
    /// Milliseconds of processor time that one turn may take.
    public let turnCPU: Double
    /// Milliseconds of processor time of a run.
    public let cpu: Double
    /// Milliseconds of processor time within a minute.
    public let cpuPerMinute: Double
    /// Bytes of memory, beyond those of the engine.
    public let memory: Int
    /// Milliseconds that a run may last; missing if unlimited.
    public let duration: Double?
    /// Calls within a minute.
    public let callsPerMinute: Int
    /// UTF-8 bytes on the console within a minute.
    public let logPerMinute: Int
    /// The limits of calls to other servers.
    public let fetch: Fetch

    /// Creates a value from its members.
    public init(
        turn: Double, turnCPU: Double, cpu: Double, cpuPerMinute: Double, memory: Int,
        duration: Double? = nil, callsPerMinute: Int, logPerMinute: Int, fetch: Fetch
    ) {
        self.turn = turn
        self.turnCPU = turnCPU
        self.cpu = cpu
        self.cpuPerMinute = cpuPerMinute
        self.memory = memory
        self.duration = duration
        self.callsPerMinute = callsPerMinute
        self.logPerMinute = logPerMinute
        self.fetch = fetch
    }

    /// The limits of calls to other servers.
    public struct Fetch: Codable, Sendable {
        /// Milliseconds that a call may take.
        public let duration: Double
        /// Calls within a minute.
        public let callsPerMinute: Int
        /// Concurrent calls.
        public let callsAtOnce: Int
        /// Bytes of a request's body.
        public let requestBytes: Int
        /// Bytes of a response's body.
        public let answerBytes: Int

        /// Creates a value from its members.
        public init(
            duration: Double, callsPerMinute: Int, callsAtOnce: Int, requestBytes: Int,
            answerBytes: Int
        ) {
            self.duration = duration
            self.callsPerMinute = callsPerMinute
            self.callsAtOnce = callsAtOnce
            self.requestBytes = requestBytes
            self.answerBytes = answerBytes
        }
    }
}

/// The receipt for the forgotten data about an app.
public struct AppForgetReceipt: Codable, Sendable {
    /// The app's name.
    public let app: String
    /// When, in milliseconds since 1970.
    public let time: Double
    /// The number of deleted decisions.
    public let decisions: Int
    /// The number of deleted runs.
    public let runs: Int
    /// The bytes of deleted values.
    public let stored: Int
    /// A description of the data that is kept.
    public let kept: [String]

    /// Creates a value from its members.
    public init(app: String, time: Double, decisions: Int, runs: Int, stored: Int, kept: [String]) {
        self.app = app
        self.time = time
        self.decisions = decisions
        self.runs = runs
        self.stored = stored
        self.kept = kept
    }
}

/// The answer to a request for a launch code.
public struct LaunchReply: Codable, Sendable {
    /// The URL of the page, with the code in its fragment.
    public let url: String

    /// Creates a value from its members.
    public init(url: String) {
        self.url = url
    }
}

/// The code that a page exchanges for a token.
public struct LaunchCode: Codable, Sendable {
    /// The code.
    public let code: String
    /// The nonce of the page, which the host put into it.
    public let page: String

    /// Creates a value from its members.
    public init(code: String, page: String) {
        self.code = code
        self.page = page
    }
}

/// A session of the dashboard; times are in milliseconds since 1970.
public struct DashboardSessionDescription: Codable, Sendable {
    /// When its page was opened.
    public let began: Double
    /// When its token was last used.
    public let used: Double
    /// Whether it is the session of the caller.
    public let current: Bool

    /// Creates a value from its members.
    public init(began: Double, used: Double, current: Bool) {
        self.began = began
        self.used = used
        self.current = current
    }
}

/// The token of a page.
public struct PageToken: Codable, Sendable {
    /// The token.
    public let token: String

    /// Creates a value from its members.
    public init(token: String) {
        self.token = token
    }
}

/// The files of an app's folder, to install without an archive.
public struct FolderPackage: Codable, Sendable {
    /// One file.
    public struct File: Codable, Sendable {
        /// The path inside the app's folder, such as `images/icon.png`.
        public let path: String
        /// The content; in JSON it is encoded in base64.
        public let content: Data

        /// Creates a value from its members.
        public init(path: String, content: Data) {
            self.path = path
            self.content = content
        }
    }

    /// The name of the app's folder.
    public let name: String
    /// All files, at any depth.
    public let files: [File]

    /// Creates a value from its members.
    public init(name: String, files: [File]) {
        self.name = name
        self.files = files
    }
}

/// A package to download: a URL, or a package of a catalogue.
public struct DownloadRequest: Codable, Sendable {
    /// An http or https URL, which may contain a name and a password.
    public let url: String?
    /// Without `url`: the name of a catalogue.
    public let catalogue: String?
    /// The name of a package in it.
    public let package: String?

    /// The package at a URL.
    public init(url: String) {
        self.url = url
        catalogue = nil
        package = nil
    }

    /// A package of a catalogue.
    public init(package: String, of catalogue: String) {
        url = nil
        self.catalogue = catalogue
        self.package = package
    }
}

/// A package that the host downloads, or has downloaded and not yet installed.
public struct DownloadDescription: Codable, Sendable {
    /// Its identifier.
    public let id: String
    /// Where it comes from, without credentials and query.
    public let address: String
    /// `receiving`, `complete` or `failed`.
    public let state: String
    /// The number of bytes received.
    public let received: Int
    /// The expected number of bytes; missing if the server did not say it.
    public let total: Int?
    /// Whether every connection was encrypted or to this machine; otherwise the package could have been
    /// modified in transit.
    public let encrypted: Bool
    /// Of `failed`: the problem's code.
    public let code: String?
    /// Of `failed`: what failed, in a sentence.
    public let failure: String?
    /// Of `failed`: how to resolve it.
    public let fix: String?

    /// Creates a value from its members.
    public init(
        id: String, address: String, state: String, received: Int, total: Int? = nil,
        encrypted: Bool, code: String? = nil, failure: String? = nil, fix: String? = nil
    ) {
        (self.id, self.address, self.state) = (id, address, state)
        (self.received, self.total, self.encrypted) = (received, total, encrypted)
        (self.code, self.failure, self.fix) = (code, failure, fix)
    }
}

/// A downloaded package to install.
public struct DownloadedPackage: Codable, Sendable {
    /// The identifier of the download, which must be complete.
    public let download: String

    /// Creates a value from its members.
    public init(download: String) {
        self.download = download
    }
}
