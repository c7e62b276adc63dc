/// The storage that samples take.
public struct StorageDescription: Codable, Sendable {
    /// The storage of one sensor.
    public struct Sensor: Codable, Sendable {
        /// Its identifier.
        public let sensor: String
        /// Its retention.
        public let rule: RetentionDescription
        /// How many samples are stored.
        public let samples: Int64
        /// Bytes of samples and summaries.
        public let bytes: Int64
        /// Samples of which only summaries are left.
        public let summarised: Int64
        /// How many summaries are stored.
        public let summaries: Int64
        /// The time of the oldest sealed sample, in milliseconds since 1970; missing if none.
        public let oldest: Double?
        /// Bytes per day, estimated.
        public let bytesPerDay: Double?
        /// Days until samples are pruned; missing if unknown.
        public let daysLeft: Double?

        /// Creates a value from its members.
        public init(
            sensor: String, rule: RetentionDescription, samples: Int64, bytes: Int64,
            summarised: Int64, summaries: Int64, oldest: Double? = nil, bytesPerDay: Double? = nil,
            daysLeft: Double? = nil
        ) {
            self.sensor = sensor
            self.rule = rule
            self.samples = samples
            self.bytes = bytes
            self.summarised = summarised
            self.summaries = summaries
            self.oldest = oldest
            self.bytesPerDay = bytesPerDay
            self.daysLeft = daysLeft
        }
    }

    /// The storage of the samples that a client published.
    public struct Client: Codable, Sendable {
        /// Its name.
        public let client: String
        /// Bytes of samples and summaries.
        public let bytes: Int64
        /// The bytes beyond which its samples are the first to be pruned for the budget.
        public let share: Int64

        /// Creates a value from its members.
        public init(client: String, bytes: Int64, share: Int64) {
            self.client = client
            self.bytes = bytes
            self.share = share
        }
    }

    /// The sensors.
    public let sensors: [Sensor]
    /// The clients that published samples; missing if none did.
    public let clients: [Client]?
    /// The retention of sensors without a rule of their own.
    public let standard: RetentionDescription
    /// Bytes of the store and its write-ahead log on disk.
    public let bytes: Int64
    /// How many of these are free for new samples.
    public let reusable: Int64
    /// The maximum number of bytes that samples may take.
    public let budget: Int64
    /// Free bytes of the disk.
    public let free: Int64
    /// Whether the file shrinks when samples are pruned.
    public let shrinks: Bool
    /// The storage of the access log.
    public let accessLog: AccessLog

    /// The storage that the access log takes, beside that of samples.
    public struct AccessLog: Codable, Sendable {
        /// Bytes of the log, with the decisions and tokens in the same file.
        public let bytes: Int64
        /// The bytes beyond which its oldest days are pruned.
        public let budget: Int64
        /// The minimum age of pruned entries, as a duration.
        public let keeps: String

        /// Creates a value from its members.
        public init(bytes: Int64, budget: Int64, keeps: String) {
            self.bytes = bytes
            self.budget = budget
            self.keeps = keeps
        }
    }

    /// Creates a value from its members.
    public init(
        sensors: [Sensor], clients: [Client]? = nil, standard: RetentionDescription, bytes: Int64,
        reusable: Int64, budget: Int64, free: Int64, shrinks: Bool,
        accessLog: AccessLog
    ) {
        self.sensors = sensors
        self.clients = clients
        self.standard = standard
        self.bytes = bytes
        self.reusable = reusable
        self.budget = budget
        self.free = free
        self.shrinks = shrinks
        self.accessLog = accessLog
    }
}

/// How long samples of a sensor are kept; a missing member means no limit.
public struct RetentionDescription: Codable, Equatable, Sendable {
    /// The maximum age of a sample, as a duration.
    public var raw: String?
    /// The maximum number of bytes of samples.
    public var bytes: Int64?
    /// The maximum age of an hour's summary, as a duration.
    public var summaries: String?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case raw, bytes, summaries
    }

    /// Creates a value from its members.
    public init(raw: String? = nil, bytes: Int64? = nil, summaries: String? = nil) {
        self.raw = raw
        self.bytes = bytes
        self.summaries = summaries
    }

    /// - Throws: `DecodingError`, also for an unknown member: a misspelt one would mean no limit.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.stringValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        raw = try members.decodeIfPresent(String.self, forKey: .raw)
        bytes = try members.decodeIfPresent(Int64.self, forKey: .bytes)
        summaries = try members.decodeIfPresent(String.self, forKey: .summaries)
    }
}

/// A change of the budget, of the retention of sensors without a rule, or of both.
public struct RetentionRequest: Codable, Sendable {
    /// The maximum number of bytes that samples may take.
    public var budget: Int64?
    /// The retention of sensors without a rule of their own.
    public var standard: RetentionDescription?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case budget, standard
    }

    /// Creates a value from its members.
    public init(budget: Int64? = nil, standard: RetentionDescription? = nil) {
        self.budget = budget
        self.standard = standard
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.stringValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        budget = try members.decodeIfPresent(Int64.self, forKey: .budget)
        standard = try members.decodeIfPresent(RetentionDescription.self, forKey: .standard)
    }
}

/// The receipt for forgotten samples of a sensor.
public struct ForgetDescription: Codable, Sendable {
    /// Its identifier.
    public let sensor: String
    /// The start of the range, in milliseconds since 1970; missing if open.
    public let from: Double?
    /// Its end, in milliseconds since 1970; missing if open.
    public let to: Double?
    /// When it was forgotten, in milliseconds since 1970.
    public let time: Double
    /// The number of deleted samples.
    public let samples: Int
    /// The number of deleted hourly summaries.
    public let summaries: Int
    /// The number of samples that these summaries described.
    public let summarised: Int
    /// The number of deleted summaries whose hour is only partly in the range; they are deleted whole.
    public let partialHours: Int
    /// The number of unreadable chunks, which are deleted whole.
    public let unreadable: Int
    /// The bytes that the deleted data occupied in the file.
    public let bytes: Int64
    /// Whether the bytes are overwritten in every file.
    public let erased: Bool
    /// How many uploads with such samples were discarded from the outbox.
    public let uploads: Int
    /// What was forgotten of each sensor that is computed from it; missing unless requested.
    public let derived: [Derived]?
    /// The imported sessions that were deleted, because their route is in the range; missing unless
    /// requested.
    public let sessions: [String]?
    /// What is not forgotten: `access-log`; `sensor:ID`, which is computed from the sensor and has samples
    /// of its own; `session:ID`, whose imported route is in the range.
    public let kept: [String]

    /// Creates a value from its members.
    public init(
        sensor: String, from: Double? = nil, to: Double? = nil, time: Double, samples: Int,
        summaries: Int, summarised: Int, partialHours: Int, unreadable: Int, bytes: Int64,
        erased: Bool, uploads: Int, derived: [Derived]? = nil, sessions: [String]? = nil,
        kept: [String]
    ) {
        self.sensor = sensor
        self.from = from
        self.to = to
        self.time = time
        self.samples = samples
        self.summaries = summaries
        self.summarised = summarised
        self.partialHours = partialHours
        self.unreadable = unreadable
        self.bytes = bytes
        self.erased = erased
        self.uploads = uploads
        self.derived = derived
        self.sessions = sessions
        self.kept = kept
    }

    /// What was forgotten of a sensor that is computed from another.
    public struct Derived: Codable, Sendable {
        /// Its identifier.
        public let sensor: String
        /// The number of deleted samples.
        public let samples: Int
        /// The number of deleted hourly summaries.
        public let summaries: Int
        /// The bytes that the deleted data occupied in the file.
        public let bytes: Int64
        /// Whether the bytes are overwritten in every file.
        public let erased: Bool

        /// Creates a value from its members.
        public init(sensor: String, samples: Int, summaries: Int, bytes: Int64, erased: Bool) {
            self.sensor = sensor
            self.samples = samples
            self.summaries = summaries
            self.bytes = bytes
            self.erased = erased
        }
    }
}

/// A time range whose samples are damaged and cannot be read.
public struct DamagedRange: Codable, Hashable, Sendable {
    /// The sensor; missing from an answer about one sensor.
    public let sensor: String?
    /// Milliseconds since 1970; missing if open.
    public let from: Double?
    /// Milliseconds since 1970; missing if open.
    public let to: Double?

    /// Creates a value from its members.
    public init(sensor: String? = nil, from: Double? = nil, to: Double? = nil) {
        self.sensor = sensor
        self.from = from
        self.to = to
    }
}

/// The values that an app stores.
public struct StoredValueList: Codable, Sendable {
    /// One value, without its bytes.
    public struct Item: Codable, Sendable {
        /// Its key.
        public let key: String
        /// Its media type.
        public let type: String
        /// Its size.
        public let bytes: Int

        /// Creates a value from its members.
        public init(key: String, type: String, bytes: Int) {
            self.key = key
            self.type = type
            self.bytes = bytes
        }
    }

    /// The values.
    public let items: [Item]
    /// Bytes in use.
    public let used: Int
    /// Bytes that are allowed.
    public let limit: Int

    /// Creates a value from its members.
    public init(items: [Item], used: Int, limit: Int) {
        self.items = items
        self.used = used
        self.limit = limit
    }
}

/// The `localStorage` of an app that runs headless.
public struct LocalStorageContents: Codable, Sendable {
    /// Pairs of key and value; only in the answer to `GET`.
    public let items: [[String]]?
    /// Bytes in use.
    public let used: Int
    /// Bytes that are allowed.
    public let limit: Int

    /// Creates a value from its members.
    public init(items: [[String]]? = nil, used: Int, limit: Int) {
        self.items = items
        self.used = used
        self.limit = limit
    }
}

/// Entries of the `indexedDB` of an app that runs headless.
public struct IndexedDBContents: Codable, Sendable {
    /// Pairs of key and value, sorted by key.
    public let items: [[String]]
    /// Whether there are more, after the last of these.
    public let more: Bool
    /// Bytes in use.
    public let used: Int
    /// Bytes that are allowed.
    public let limit: Int

    /// Creates a value from its members.
    public init(items: [[String]], more: Bool, used: Int, limit: Int) {
        self.items = items
        self.more = more
        self.used = used
        self.limit = limit
    }
}

/// Changes of the `indexedDB` of an app that runs headless.
public struct IndexedDBChanges: Codable, Sendable {
    /// Pairs of a key and the value that it must have, or null if it must have none.
    public let expected: [[String?]]
    /// Pairs of a key and its new value, or null to remove it.
    public let changes: [[String?]]

    /// Creates a value from its members.
    public init(expected: [[String?]], changes: [[String?]]) {
        self.expected = expected
        self.changes = changes
    }
}
