import Samples

/// The calling client.
public struct ClientDescription: Codable, Sendable {
    /// Its name.
    public let name: String
    /// `owner`, `app` or `client`.
    public let kind: String
    /// The decisions about it.
    public let privileges: [DecisionDescription]

    /// Creates a value from its members.
    public init(name: String, kind: String, privileges: [DecisionDescription]) {
        self.name = name
        self.kind = kind
        self.privileges = privileges
    }
}

/// A token, without its secret.
public struct TokenItem: Codable, Sendable {
    /// The client's name.
    public let name: String
    /// Whether the client may do everything that the owner may.
    public let owner: Bool
    /// When it was created, in milliseconds since 1970.
    public let created: Double
    /// When it expires, in milliseconds since 1970.
    public let expires: Double?

    /// Creates a value from its members.
    public init(name: String, owner: Bool, created: Double, expires: Double? = nil) {
        self.name = name
        self.owner = owner
        self.created = created
        self.expires = expires
    }
}

/// A request to create a token.
public struct TokenRequest: Codable, Sendable {
    /// Its name.
    public let name: String
    /// Whether it may do everything that the owner may; `false` if missing.
    public var owner: Bool?
    /// Privileges to grant.
    public var allow: [String]?
    /// How long the token is valid: a duration or ``never``; ``standardLifetime`` if missing.
    public var lifetime: String?

    /// The lifetime of a token that does not expire.
    public static let never = "never"
    /// The lifetime of a token that is created without a lifetime.
    public static let standardLifetime = "90d"

    /// Whether a text is a lifetime.
    public static func isLifetime(_ text: String) -> Bool {
        text == never || Duration(span: text).map { $0 > .zero } == true
    }

    /// Creates a value from its members.
    public init(name: String, owner: Bool? = nil, allow: [String]? = nil, lifetime: String? = nil) {
        self.name = name
        self.owner = owner
        self.allow = allow
        self.lifetime = lifetime
    }
}

/// A new client and its token, which is returned only here.
public struct CreatedToken: Codable, Sendable {
    /// The client's name.
    public let name: String
    /// The token.
    public let token: String

    /// Creates a value from its members.
    public init(name: String, token: String) {
        self.name = name
        self.token = token
    }
}

/// A request to start a run of a program.
public struct ProgramRunRequest: Codable, Sendable {
    /// Whether to create the program, with permission for statistics only, if no client has its name.
    public let create: Bool?

    /// Creates a value from its members.
    public init(create: Bool? = nil) {
        self.create = create
    }
}

/// A run of a program, and its token, which is returned only here.
public struct ProgramRun: Codable, Sendable {
    /// The program's name.
    public let name: String
    /// The run.
    public let run: String
    /// The token.
    public let token: String
    /// Whether the program was created.
    public let created: Bool
    /// For how many milliseconds the token is valid, unless it is renewed.
    public let lifetime: Double

    /// Creates a value from its members.
    public init(name: String, run: String, token: String, created: Bool, lifetime: Double) {
        self.name = name
        self.run = run
        self.token = token
        self.created = created
        self.lifetime = lifetime
    }
}

/// An entry of the access log.
public struct AccessLogItem: Codable, Sendable {
    /// Its number.
    public let id: Int64
    /// Milliseconds since 1970.
    public let time: Double
    /// The kind of entry, such as `access`, `refusal` or `granted`.
    public let kind: String
    /// The client's name.
    public let client: String?
    /// What the client is: `command` (of the owner), `dashboard`, `owner` (a program with an owner's
    /// token), `client` (a program with another token) or `app`; missing for events, unknown tokens and
    /// entries of earlier versions.
    public let clientKind: String?
    /// The privilege that was decided about, used or refused.
    public let privilege: String?
    /// The sensor of an access.
    public let sensor: String?
    /// `raw`, `stats` or `write`.
    public let access: String?
    /// The operation.
    public let operation: String?
    /// The start of the range that was read, in milliseconds since 1970; missing if open.
    public let from: Double?
    /// Its end, in milliseconds since 1970; missing if open.
    public let to: Double?
    /// How many equal calls within a minute the entry counts.
    public let calls: Int
    /// How many samples were returned or used for statistics.
    public let count: Int
    /// `allowed` or `refused`; missing if the entry is not about an access.
    public let outcome: String?
    /// Why the call was refused.
    public let reason: String?
    /// Details of an event.
    public let detail: String?

    /// Creates a value from its members.
    public init(
        id: Int64, time: Double, kind: String, client: String? = nil, clientKind: String? = nil,
        privilege: String? = nil,
        sensor: String? = nil, access: String? = nil, operation: String? = nil, from: Double? = nil,
        to: Double? = nil, calls: Int, count: Int, outcome: String? = nil, reason: String? = nil,
        detail: String? = nil
    ) {
        self.id = id
        self.time = time
        self.kind = kind
        self.client = client
        self.clientKind = clientKind
        self.privilege = privilege
        self.sensor = sensor
        self.access = access
        self.operation = operation
        self.from = from
        self.to = to
        self.calls = calls
        self.count = count
        self.outcome = outcome
        self.reason = reason
        self.detail = detail
    }
}

/// The newest entry of the access log.
///
/// If the hash of the same entry differs later, earlier entries were changed.
public struct AccessLogHead: Codable, Sendable {
    /// The number of the entry.
    public let line: Int64
    /// Its hash, 64 hexadecimal digits.
    public let hash: String
    /// How many entries this call removed.
    public let cut: Int?
    /// Bytes of the log, with the decisions and tokens in the same file; in the status of the host only.
    public let bytes: Int64?
    /// The size beyond which its oldest days are pruned; in the status of the host only.
    public let budget: Int64?

    /// Creates a value from its members.
    public init(
        line: Int64, hash: String, cut: Int? = nil, bytes: Int64? = nil, budget: Int64? = nil
    ) {
        self.line = line
        self.hash = hash
        self.cut = cut
        self.bytes = bytes
        self.budget = budget
    }
}

/// The result of a verification of the access log.
public struct AccessLogVerdict: Codable, Sendable {
    /// Whether every entry is valid and the expected hash, if one was given, was found.
    public let intact: Bool
    /// The number of valid entries, from the first one.
    public let lines: Int
    /// The number of entries that were pruned before the first one, as recorded in the log.
    public let cut: Int64
    /// When the first valid entry was written, in milliseconds since 1970.
    public let first: Double?
    /// When the last valid entry was written, in milliseconds since 1970.
    public let last: Double?
    /// The hash of the last valid entry, 64 hexadecimal digits; zeros if there is none.
    public let head: String
    /// Whether the expected hash was found; missing if none was given.
    public let expected: Bool?
    /// The number of the first entry that is missing or wrong; missing for an intact chain.
    public let line: Int64?
    /// What is wrong with it, in a sentence.
    public let fault: String?
    /// The number of entries whose seal was verified; only of `nervous log --verify --key`.
    public let sealed: Int?
    /// `matches`, or why the checkpoint does not prove the entries before it; only of `nervous log --verify
    /// --checkpoint`.
    public let checkpoint: String?

    /// Creates a value from its members.
    public init(
        intact: Bool, lines: Int, cut: Int64, first: Double? = nil, last: Double? = nil,
        head: String, expected: Bool? = nil, line: Int64? = nil, fault: String? = nil,
        sealed: Int? = nil, checkpoint: String? = nil
    ) {
        (self.intact, self.lines, self.cut) = (intact, lines, cut)
        (self.first, self.last, self.head) = (first, last, head)
        (self.expected, self.line, self.fault) = (expected, line, fault)
        (self.sealed, self.checkpoint) = (sealed, checkpoint)
    }
}

/// Whether and since when the access log is sealed.
public struct AccessLogSeal: Codable, Sendable {
    /// Whether new entries are sealed; the other members are missing if not.
    public let sealed: Bool
    /// When the log was sealed, in milliseconds since 1970.
    public let since: Double?
    /// The number of the first sealed entry.
    public let first: Int64?
    /// The verifier key of checkpoints, in the form of signed notes.
    public let signer: String?
    /// The last checkpoint; missing before the first.
    public let checkpoint: Checkpoint?

    /// The last checkpoint.
    public struct Checkpoint: Codable, Sendable {
        /// The number of the entry.
        public let line: Int64
        /// When it was made, in milliseconds since 1970.
        public let time: Double

        /// Creates a value from its members.
        public init(line: Int64, time: Double) {
            (self.line, self.time) = (line, time)
        }
    }

    /// Creates a value from its members.
    public init(
        sealed: Bool, since: Double? = nil, first: Int64? = nil, signer: String? = nil,
        checkpoint: Checkpoint? = nil
    ) {
        (self.sealed, self.since, self.first) = (sealed, since, first)
        (self.signer, self.checkpoint) = (signer, checkpoint)
    }
}

/// The body of a request to seal the access log.
public struct AccessLogSealRequest: Codable, Sendable {
    /// Whether a log that is sealed gets a new key.
    public let replace: Bool?

    /// Creates a value from its members.
    public init(replace: Bool?) {
        self.replace = replace
    }
}

/// What the owner keeps to verify a sealed access log.
public struct AccessLogSealKey: Codable, Sendable {
    /// The verification key, which no other answer contains.
    public let key: String
    /// The number of the first sealed entry.
    public let first: Int64
    /// The verifier key of checkpoints, in the form of signed notes.
    public let signer: String

    /// Creates a value from its members.
    public init(key: String, first: Int64, signer: String) {
        (self.key, self.first, self.signer) = (key, first, signer)
    }
}

/// A signed statement about the newest entry of the access log.
public struct AccessLogCheckpoint: Codable, Sendable {
    /// The signed note.
    public let note: String
    /// The number of the entry.
    public let line: Int64
    /// The SHA-256 of the entry, 64 hexadecimal digits.
    public let hash: String
    /// When it was made, in milliseconds since 1970.
    public let time: Double

    /// Creates a value from its members.
    public init(note: String, line: Int64, hash: String, time: Double) {
        (self.note, self.line, self.hash, self.time) = (note, line, hash, time)
    }
}

/// A step of a verification of the access log whose progress is followed.
///
/// Exactly one of progress, `verdict` and `problem` is present; the last two end the verification.
public struct AccessLogVerificationStep: Codable, Sendable {
    /// How many entries are verified.
    public let verified: Int?
    /// The number of entries.
    public let total: Int?
    /// The result.
    public let verdict: AccessLogVerdict?
    /// Why the log could not be verified.
    public let problem: ProblemDetails?

    /// Some entries are verified.
    public init(verified: Int, of total: Int) {
        (self.verified, self.total) = (verified, total)
        (verdict, problem) = (nil, nil)
    }

    /// The verification has ended.
    public init(_ verdict: AccessLogVerdict) {
        self.verdict = verdict
        (verified, total, problem) = (nil, nil, nil)
    }

    /// The log could not be verified.
    public init(_ problem: ProblemDetails) {
        self.problem = problem
        (verified, total, verdict) = (nil, nil, nil)
    }
}

/// A notice for the owner.
///
/// Its texts are safe to display: control and direction characters are escaped.
public struct NoticeItem: Codable, Sendable {
    /// `message` of an app, `alert` of a rule, or `refusal` of a call with an invalid token.
    public let kind: String
    /// Milliseconds since 1970.
    public let time: Double
    /// The app that sent a message.
    public var app: String?
    /// The run that sent it.
    public var run: String?
    /// The title.
    public let title: String
    /// The text of a message or alert.
    public var body: String?
    /// The tag of a message, or the name of a rule; a later notice with the same tag replaces it.
    public var tag: String?
    /// The operation that was refused.
    public var operation: String?

    /// Creates a value from its members.
    public init(
        kind: String, time: Double, app: String? = nil, run: String? = nil, title: String,
        body: String? = nil, tag: String? = nil, operation: String? = nil
    ) {
        self.kind = kind
        self.time = time
        self.app = app
        self.run = run
        self.title = title
        self.body = body
        self.tag = tag
        self.operation = operation
    }
}

/// A message of an app for the owner.
public struct NotificationRequest: Codable, Sendable {
    /// Its title.
    public let title: String
    /// Its text.
    public let body: String?
    /// A later message with the same tag replaces it.
    public let tag: String?
    /// Whether to send it only while the app's page is not visible; `false` if missing.
    public let unlessViewed: Bool

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case title, body, tag, unlessViewed
    }

    /// Creates a value from its members.
    public init(
        title: String, body: String? = nil, tag: String? = nil, unlessViewed: Bool = false
    ) {
        (self.title, self.body, self.tag) = (title, body, tag)
        self.unlessViewed = unlessViewed
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.stringValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        title = try members.decode(String.self, forKey: .title)
        body = try members.decodeIfPresent(String.self, forKey: .body)
        tag = try members.decodeIfPresent(String.self, forKey: .tag)
        unlessViewed = try members.decodeIfPresent(Bool.self, forKey: .unlessViewed) ?? false
    }
}

/// Whether the page of an app is visible.
public struct ViewRequest: Codable, Sendable {
    /// Whether it is visible.
    public let visible: Bool

    private enum CodingKeys: String, CodingKey {
        case visible
    }

    /// Creates a value from its members.
    public init(visible: Bool) {
        self.visible = visible
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: [CodingKeys.visible.stringValue])
        visible = try decoder.container(keyedBy: CodingKeys.self)
            .decode(Bool.self, forKey: .visible)
    }
}
