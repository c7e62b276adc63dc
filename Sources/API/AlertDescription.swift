/// The definition of an alert rule: what is watched, when it fires, and what then happens.
///
/// Durations are written as `5m`, `2h` or `7d`. A rule watches one of three measures: a statistic of a
/// sliding window (``window``), the score of a window among those before it (``baseline``), or the time
/// without samples (``silence``).
public struct AlertDefinition: Codable, Hashable, Sendable {
    /// A server that is called when the rule fires and when it resolves.
    public struct Webhook: Codable, Hashable, Sendable {
        /// An absolute `http` or `https` URL.
        public var url: String
        /// The absolute path of a file with a token on one line, which is sent as a bearer token.
        public var tokenFile: String?

        /// Creates a value from its members.
        public init(url: String, tokenFile: String? = nil) {
            self.url = url
            self.tokenFile = tokenFile
        }

        private enum CodingKeys: String, CodingKey, CaseIterable { case url, tokenFile }

        public init(from decoder: any Decoder) throws {
            try decoder.rejectMembers(except: CodingKeys.allCases.map(\.rawValue))
            let members = try decoder.container(keyedBy: CodingKeys.self)
            url = try members.decode(String.self, forKey: .url)
            tokenFile = try members.decodeIfPresent(String.self, forKey: .tokenFile)
        }
    }

    /// The identifier of the sensor.
    public var sensor: String
    /// A numeric field, not for ``silence``; by default the main field.
    public var field: String?
    /// The statistic of a window, such as `mean` or `p95`; by default `mean`.
    public var statistic: String?
    /// The length of the window.
    public var window: String?
    /// The time before a window with whose windows it is compared.
    public var baseline: String?
    /// The time without samples after which the rule fires.
    public var silence: String?
    /// The rule fires when the measure is above this number.
    public var above: Double?
    /// The rule fires when the measure is below this number.
    public var below: Double?
    /// The number at which a rule that has fired resolves; by default the threshold itself.
    public var clear: Double?
    /// Conditions that a sample must meet to count.
    public var conditions: [String]?
    /// How long the condition must hold before the rule fires; by default it fires at once.
    public var hold: String?
    /// How long the condition must not hold before the rule resolves; by default it resolves at once.
    public var clearFor: String?
    /// What a window without data means: `keep` (the default), `fire` or `clear`.
    public var missing: String?
    /// The share of the window's time for which there must be samples, 0 to 1; by default 0.5.
    public var coverage: Double?
    /// A title for notices.
    public var title: String?
    /// Whether the owner is notified; by default when there is no other action.
    public var notify: Bool?
    /// A server that is called.
    public var webhook: Webhook?
    /// An installed app of which a background run is started when the rule fires.
    public var run: String?

    /// Creates a definition; the other members can be set.
    public init(sensor: String) {
        self.sensor = sensor
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case sensor, field, statistic, window, baseline, silence, above, below, clear
        case conditions = "where"
        case hold = "for"
        case clearFor, missing, coverage, title, notify, webhook, run
    }

    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? {
            try members.decodeIfPresent(String.self, forKey: key)
        }
        func number(_ key: CodingKeys) throws -> Double? {
            try members.decodeIfPresent(Double.self, forKey: key)
        }
        sensor = try members.decode(String.self, forKey: .sensor)
        (field, statistic, window) = (try text(.field), try text(.statistic), try text(.window))
        (baseline, silence) = (try text(.baseline), try text(.silence))
        (above, below, clear) = (try number(.above), try number(.below), try number(.clear))
        conditions = try members.decodeIfPresent([String].self, forKey: .conditions)
        (hold, clearFor, missing) = (try text(.hold), try text(.clearFor), try text(.missing))
        coverage = try number(.coverage)
        title = try text(.title)
        notify = try members.decodeIfPresent(Bool.self, forKey: .notify)
        webhook = try members.decodeIfPresent(Webhook.self, forKey: .webhook)
        run = try text(.run)
    }
}

/// An alert rule with its state; times are in milliseconds since 1970.
public struct AlertDescription: Codable, Hashable, Sendable {
    /// Why the measure of a rule is not known.
    public struct Missing: Codable, Hashable, Sendable {
        /// `no-samples`, `little-coverage`, `little-history`, `sensor-off`, `sensor-unavailable`,
        /// `sensor-removed` or `field-removed`.
        public let reason: String
        /// Since when.
        public let since: Double

        /// Creates a value from its members.
        public init(reason: String, since: Double) {
            self.reason = reason
            self.since = since
        }
    }

    /// The name of the rule.
    public let name: String
    /// One line that says when the rule fires.
    public let summary: String
    /// The definition, with the sensor and the field that it refers to.
    public let rule: AlertDefinition
    /// Whether it is evaluated.
    public let enabled: Bool
    /// `disabled`, `waiting` before the first evaluation, `ok`, `pending`, `firing`, or `no-data`.
    public let state: String
    /// Since when it is pending or has been firing, or not.
    public let since: Double
    /// The measure at the last evaluation.
    public let value: Double?
    /// The unit of ``value``, as a UCUM code.
    public let unit: String?
    /// Why the measure is not known; also while the rule keeps firing.
    public let missing: Missing?
    /// When it was evaluated last.
    public let evaluated: Double?
    /// The time between two evaluations.
    public let every: String
    /// When it was created.
    public let created: Double
    /// How many deliveries wait for another attempt.
    public let waiting: Int
    /// Why the newest delivery that was not made has failed.
    public let problem: String?

    /// Creates a value from its members.
    public init(
        name: String, summary: String, rule: AlertDefinition, enabled: Bool, state: String,
        since: Double, value: Double? = nil, unit: String? = nil, missing: Missing? = nil,
        evaluated: Double? = nil, every: String, created: Double, waiting: Int,
        problem: String? = nil
    ) {
        self.name = name
        self.summary = summary
        self.rule = rule
        self.enabled = enabled
        self.state = state
        self.since = since
        self.value = value
        self.unit = unit
        self.missing = missing
        self.evaluated = evaluated
        self.every = every
        self.created = created
        self.waiting = waiting
        self.problem = problem
    }
}

/// A change of the state of an alert rule; times are in milliseconds since 1970.
public struct AlertEventDescription: Codable, Hashable, Sendable {
    /// One action for an event.
    public struct Delivery: Codable, Hashable, Sendable {
        /// `notify`, `webhook` or `run`.
        public let action: String
        /// `waiting`, `started`, `done`, `failed`, or `unknown` if the host ended meanwhile.
        public let state: String
        /// The number of attempts.
        public let attempts: Int
        /// The earliest time of the next attempt.
        public let next: Double?
        /// Why the last attempt failed.
        public let problem: String?

        /// Creates a value from its members.
        public init(
            action: String, state: String, attempts: Int, next: Double? = nil,
            problem: String? = nil
        ) {
            self.action = action
            self.state = state
            self.attempts = attempts
            self.next = next
            self.problem = problem
        }
    }

    /// Increases with each event.
    public let id: Int64
    /// When the rule was evaluated.
    public let time: Double
    /// `fired` or `resolved`.
    public let event: String
    /// The measure; missing when there was no data.
    public let value: Double?
    /// Whether the actions were omitted because the rule had fired too often within an hour.
    public let muted: Bool
    /// What was done.
    public let deliveries: [Delivery]

    /// Creates a value from its members.
    public init(
        id: Int64, time: Double, event: String, value: Double? = nil, muted: Bool,
        deliveries: [Delivery]
    ) {
        self.id = id
        self.time = time
        self.event = event
        self.value = value
        self.muted = muted
        self.deliveries = deliveries
    }
}

/// When a rule would have fired in a time range; times are in milliseconds since 1970.
public struct AlertTestReply: Codable, Hashable, Sendable {
    /// A change of its state.
    public struct Event: Codable, Hashable, Sendable {
        /// When it was evaluated.
        public let time: Double
        /// `fired` or `resolved`.
        public let event: String
        /// The measure; missing when there was no data.
        public let value: Double?

        /// Creates a value from its members.
        public init(time: Double, event: String, value: Double? = nil) {
            self.time = time
            self.event = event
            self.value = value
        }
    }

    /// A time range without data.
    public struct Gap: Codable, Hashable, Sendable {
        /// The first evaluation without data.
        public let from: Double
        /// The first evaluation with data after it, or the end of the range.
        public let to: Double
        /// As ``AlertDescription/Missing/reason``.
        public let reason: String

        /// Creates a value from its members.
        public init(from: Double, to: Double, reason: String) {
            self.from = from
            self.to = to
            self.reason = reason
        }
    }

    /// The time of the first evaluation.
    public let from: Double
    /// The time of the last evaluation.
    public let to: Double
    /// The time between two evaluations.
    public let every: String
    /// The number of evaluations.
    public let evaluations: Int
    /// The unit of the values, as a UCUM code.
    public let unit: String?
    /// The changes, in order of time; at most 1000.
    public let events: [Event]
    /// Whether there were more changes.
    public let more: Bool
    /// The time ranges without data, in order; at most 1000.
    public let gaps: [Gap]
    /// The smallest and the largest measure.
    public let minimum: Double?
    /// The largest measure.
    public let maximum: Double?

    /// Creates a value from its members.
    public init(
        from: Double, to: Double, every: String, evaluations: Int, unit: String? = nil,
        events: [Event], more: Bool, gaps: [Gap], minimum: Double? = nil, maximum: Double? = nil
    ) {
        self.from = from
        self.to = to
        self.every = every
        self.evaluations = evaluations
        self.unit = unit
        self.events = events
        self.more = more
        self.gaps = gaps
        self.minimum = minimum
        self.maximum = maximum
    }
}

/// A change of an alert rule.
public struct AlertChange: Codable, Hashable, Sendable {
    /// Whether it is evaluated.
    public let enabled: Bool

    /// Creates a value from its members.
    public init(enabled: Bool) {
        self.enabled = enabled
    }

    private enum CodingKeys: String, CodingKey { case enabled }

    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: [CodingKeys.enabled.rawValue])
        enabled = try decoder.container(keyedBy: CodingKeys.self)
            .decode(Bool.self, forKey: .enabled)
    }
}

/// A new alert rule.
public struct AlertRequest: Codable, Hashable, Sendable {
    /// The name.
    public let name: String
    /// The definition.
    public let rule: AlertDefinition

    /// Creates a value from its members.
    public init(name: String, rule: AlertDefinition) {
        self.name = name
        self.rule = rule
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case name, rule }

    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        name = try members.decode(String.self, forKey: .name)
        rule = try members.decode(AlertDefinition.self, forKey: .rule)
    }
}

/// How many calls of an alert rule are repeated.
public struct AlertSendReply: Codable, Hashable, Sendable {
    /// Their number.
    public let count: Int

    /// Creates a value from its members.
    public init(count: Int) {
        self.count = count
    }
}
