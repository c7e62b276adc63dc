/// A decision about a privilege of a client.
public struct DecisionDescription: Codable, Sendable {
    /// The client's name.
    public let client: String
    /// The privilege.
    public let privilege: String
    /// `granted` or `denied`.
    public let state: String
    /// The terms of a grant.
    public let terms: TermsDescription?
    /// Whether it ends with its run.
    public let once: Bool
    /// When it was decided, in milliseconds since 1970.
    public let decided: Double
    /// How often the owner denied it for single runs, if that is why the owner is no longer asked; else
    /// missing.
    public let refusals: Int?
    /// The policy file that overrules a grant.
    public let restrictedBy: String?

    /// Creates a value from its members.
    public init(
        client: String, privilege: String, state: String, terms: TermsDescription? = nil,
        once: Bool, decided: Double, refusals: Int? = nil, restrictedBy: String? = nil
    ) {
        self.client = client
        self.privilege = privilege
        self.state = state
        self.terms = terms
        self.once = once
        self.decided = decided
        self.refusals = refusals
        self.restrictedBy = restrictedBy
    }
}

/// The decisions, and the privileges that the policy blocks.
public struct DecisionList: Codable, Sendable {
    /// One line of a policy.
    public struct Restricted: Codable, Sendable {
        /// The privilege that it blocks.
        public let privilege: String
        /// The policy file.
        public let file: String

        /// Creates a value from its members.
        public init(privilege: String, file: String) {
            self.privilege = privilege
            self.file = file
        }
    }

    /// The decisions.
    public let items: [DecisionDescription]
    /// The privileges that the policy blocks; missing if there are none.
    public let restricted: [Restricted]?

    /// Creates a value from its members.
    public init(items: [DecisionDescription], restricted: [Restricted]? = nil) {
        self.items = items
        self.restricted = restricted
    }
}

/// The terms of a grant.
public struct TermsDescription: Codable, Sendable, Equatable {
    /// `raw`, `stats` or `write`.
    public var access: String
    /// The highest rate, in samples per second.
    public var rate: Double?
    /// The step that values are rounded to, in the unit of the field.
    public var precision: Double?
    /// How far back samples may be read, as a duration such as `1h`.
    public var history: String?
    /// When the grant ends, in milliseconds since 1970.
    public var expires: Double?
    /// Whether it also holds in the background.
    public var background: Bool?
    /// The chosen sensors of the kind; missing for all.
    public var only: [String]?
    /// The sensors of the kind that existed and were not chosen.
    public var excluded: [String]?

    /// Creates a value from its members.
    public init(
        access: String, rate: Double? = nil, precision: Double? = nil, history: String? = nil,
        expires: Double? = nil, background: Bool? = nil, only: [String]? = nil,
        excluded: [String]? = nil
    ) {
        self.access = access
        self.rate = rate
        self.precision = precision
        self.history = history
        self.expires = expires
        self.background = background
        self.only = only
        self.excluded = excluded
    }
}

/// The request for a decision.
public struct DecisionRequest: Codable, Sendable {
    /// `allow-once`, `allow-always`, `statistics-only`, `deny-once`, `deny`, or `allow` with
    /// `terms`.
    public let decision: String
    /// The terms of `allow`.
    public var terms: TermsDescription?
    /// The run of `allow-once` and `deny-once`.
    public var run: String?
    /// Whether the decision answers a prompt.
    ///
    /// Only such denials for one run are counted; after two the owner is not asked again.
    public var answer: Bool?
    /// The chosen sensors of the kind, if there are no terms.
    public var only: [String]?
    /// The sensors of the kind that were not chosen; if missing, all others that exist now.
    public var excluded: [String]?

    /// Creates a value from its members.
    public init(
        decision: String, terms: TermsDescription? = nil, run: String? = nil, answer: Bool? = nil,
        only: [String]? = nil, excluded: [String]? = nil
    ) {
        self.decision = decision
        self.terms = terms
        self.run = run
        self.answer = answer
        self.only = only
        self.excluded = excluded
    }
}

/// The privileges of a run about which the policy broker is asked.
public struct BrokerRequest: Codable, Sendable {
    /// The maximum number of privileges.
    public static let limit = 100

    /// The privileges; those that are decided are left out.
    public let privileges: [String]

    /// Creates a value from its members.
    public init(privileges: [String]) {
        self.privileges = privileges
    }
}

/// The request of a client for a privilege.
public struct PermissionRequest: Codable, Sendable {
    /// The privilege.
    public let privilege: String
    /// Whether the answer comes after the decision; otherwise at once, while the request waits for the owner.
    public var wait: Bool?

    /// Creates a value from its members.
    public init(privilege: String, wait: Bool? = nil) {
        self.privilege = privilege
        self.wait = wait
    }
}

/// The permission of a client for a privilege.
public struct PermissionDescription: Codable, Sendable {
    /// The privilege.
    public let privilege: String
    /// `prompt`, `granted` or `denied`.
    public let state: String
    /// `true` if the policy blocks it.
    public let restricted: Bool?
    /// What the privilege can reveal about the owner, in the words of the host: a clause that completes
    /// “that can reveal”; missing if it cannot be granted.
    public let reveals: String?
    /// Whether a request waits for the owner; only in the answer to a request that does not wait.
    public let requested: Bool?

    /// Creates a value from its members.
    public init(
        privilege: String, state: String, restricted: Bool? = nil, reveals: String? = nil,
        requested: Bool? = nil
    ) {
        self.privilege = privilege
        self.state = state
        self.restricted = restricted
        self.reveals = reveals
        self.requested = requested
    }
}

/// A request that waits for the owner's decision.
public struct RequestDescription: Codable, Sendable {
    /// The client's name.
    public let client: String
    /// The privilege.
    public let privilege: String
    /// What the privilege can reveal about the owner, in the words of the host: a clause that completes
    /// “that can reveal”.
    public let reveals: String
    /// The run or page that requests it.
    public let run: String?
    /// When it was first requested, in milliseconds since 1970.
    public let asked: Double
    /// How many calls wait for the decision.
    public let waiting: Int

    /// Creates a value from its members.
    public init(
        client: String, privilege: String, reveals: String, run: String? = nil, asked: Double,
        waiting: Int
    ) {
        self.client = client
        self.privilege = privilege
        self.reveals = reveals
        self.run = run
        self.asked = asked
        self.waiting = waiting
    }
}
