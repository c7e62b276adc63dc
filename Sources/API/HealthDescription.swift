public import Text

/// A type of health data.
public struct HealthTypeDescription: Codable, Sendable {
    /// Its name, such as `heart-rate`.
    public let id: String
    /// `characteristic`, `quantity`, `category`, `correlation` or `workout`.
    public let kind: String
    /// Its name for people.
    public let title: String
    /// The UCUM code of the unit in which values are stored; missing for texts.
    public let unit: String?
    /// The units in which values are accepted and returned.
    public let units: [String]?
    /// The values of a category or of a characteristic with a few values.
    public let values: [String]?
    /// `true` if values belong to an interval and can be added up.
    public let total: Bool?

    /// Creates a value from its members.
    public init(
        id: String, kind: String, title: String, unit: String? = nil, units: [String]? = nil,
        values: [String]? = nil, total: Bool? = nil
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.unit = unit
        self.units = units
        self.values = values
        self.total = total
    }
}

/// A characteristic of the owner.
public struct CharacteristicDescription: Codable, Sendable {
    /// Its type.
    public let type: String
    /// A text, or a number in `unit`.
    public let value: JSONScalar
    /// The unit of a number.
    public let unit: String?

    /// Creates a value from its members.
    public init(type: String, value: JSONScalar, unit: String? = nil) {
        (self.type, self.value, self.unit) = (type, value, unit)
    }
}

/// The request to set a characteristic.
public struct CharacteristicRequest: Codable, Sendable {
    /// A text, or a number in `unit`.
    public let value: JSONScalar
    /// The unit of a number; by default the stored one.
    public let unit: String?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case value, unit
    }

    /// Creates a value from its members.
    public init(value: JSONScalar, unit: String? = nil) {
        (self.value, self.unit) = (value, unit)
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        value = try members.decode(JSONScalar.self, forKey: .value)
        unit = try members.decodeIfPresent(String.self, forKey: .unit)
    }
}

/// The request to save a sample.
///
/// Times are numbers of milliseconds since 1970, or texts of RFC 3339.
public struct HealthSampleRequest: Codable, Sendable {
    /// Its type, a quantity or category.
    public let type: String
    /// A number, or the value of a category.
    public let value: JSONScalar
    /// The UCUM code of the number's unit; by default the stored one.
    public let unit: String?
    /// By default now, or in a workout or correlation its start.
    public let start: JSONScalar?
    /// By default `start`; of a total or category in a workout its end.
    public let end: JSONScalar?
    /// Unique among what the client saved.
    public let key: String?
    /// Further properties.
    public let metadata: [String: JSONScalar]?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case type, value, unit, start, end, key, metadata
    }

    /// Creates a value from its members.
    public init(
        type: String, value: JSONScalar, unit: String? = nil, start: JSONScalar? = nil,
        end: JSONScalar? = nil, key: String? = nil, metadata: [String: JSONScalar]? = nil
    ) {
        self.type = type
        self.value = value
        self.unit = unit
        self.start = start
        self.end = end
        self.key = key
        self.metadata = metadata
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        type = try members.decode(String.self, forKey: .type)
        value = try members.decode(JSONScalar.self, forKey: .value)
        unit = try members.decodeIfPresent(String.self, forKey: .unit)
        start = try members.decodeIfPresent(JSONScalar.self, forKey: .start)
        end = try members.decodeIfPresent(JSONScalar.self, forKey: .end)
        key = try members.decodeIfPresent(String.self, forKey: .key)
        metadata = try members.decodeIfPresent([String: JSONScalar].self, forKey: .metadata)
    }
}

/// The request to save samples: one, or a list, all or none.
public struct HealthSamplesRequest: Codable, Sendable {
    /// The samples.
    public let samples: [HealthSampleRequest]

    /// Creates a value from its members.
    public init(_ samples: [HealthSampleRequest]) {
        self.samples = samples
    }

    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        if var list = try? decoder.unkeyedContainer() {
            var samples: [HealthSampleRequest] = []
            while !list.isAtEnd { samples.append(try list.decode(HealthSampleRequest.self)) }
            self.samples = samples
        } else {
            samples = [try HealthSampleRequest(from: decoder)]
        }
    }

    /// Writes a list.
    public func encode(to encoder: any Encoder) throws {
        try samples.encode(to: encoder)
    }
}

/// The request to save a workout with its samples.
public struct HealthWorkoutRequest: Codable, Sendable {
    /// Its activity, such as `running`.
    public let activity: String
    /// When it began, in milliseconds since 1970 or RFC 3339.
    public let start: JSONScalar
    /// When it ended.
    public let end: JSONScalar
    /// Milliseconds in which it was active; by default from start to end.
    public let duration: Double?
    /// Its samples.
    public let samples: [HealthSampleRequest]?
    /// Unique among what the client saved.
    public let key: String?
    /// Further properties.
    public let metadata: [String: JSONScalar]?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case activity, start, end, duration, samples, key, metadata
    }

    /// Creates a value from its members.
    public init(
        activity: String, start: JSONScalar, end: JSONScalar, duration: Double? = nil,
        samples: [HealthSampleRequest]? = nil, key: String? = nil,
        metadata: [String: JSONScalar]? = nil
    ) {
        self.activity = activity
        self.start = start
        self.end = end
        self.duration = duration
        self.samples = samples
        self.key = key
        self.metadata = metadata
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        activity = try members.decode(String.self, forKey: .activity)
        start = try members.decode(JSONScalar.self, forKey: .start)
        end = try members.decode(JSONScalar.self, forKey: .end)
        duration = try members.decodeIfPresent(Double.self, forKey: .duration)
        samples = try members.decodeIfPresent([HealthSampleRequest].self, forKey: .samples)
        key = try members.decodeIfPresent(String.self, forKey: .key)
        metadata = try members.decodeIfPresent([String: JSONScalar].self, forKey: .metadata)
    }
}

/// The request to save a correlation with its samples.
public struct HealthCorrelationRequest: Codable, Sendable {
    /// Its type, such as `blood-pressure`.
    public let type: String
    /// When it was measured, in milliseconds since 1970 or RFC 3339; by default now.
    public let start: JSONScalar?
    /// Exactly one sample of each type in it.
    public let samples: [HealthSampleRequest]
    /// Unique among what the client saved.
    public let key: String?
    /// Further properties.
    public let metadata: [String: JSONScalar]?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case type, start, samples, key, metadata
    }

    /// Creates a value from its members.
    public init(
        type: String, start: JSONScalar? = nil, samples: [HealthSampleRequest],
        key: String? = nil, metadata: [String: JSONScalar]? = nil
    ) {
        self.type = type
        self.start = start
        self.samples = samples
        self.key = key
        self.metadata = metadata
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        type = try members.decode(String.self, forKey: .type)
        start = try members.decodeIfPresent(JSONScalar.self, forKey: .start)
        samples = try members.decode([HealthSampleRequest].self, forKey: .samples)
        key = try members.decodeIfPresent(String.self, forKey: .key)
        metadata = try members.decodeIfPresent([String: JSONScalar].self, forKey: .metadata)
    }
}

/// A stored sample; times are in milliseconds since 1970.
public struct HealthSampleDescription: Codable, Sendable {
    /// Its identifier.
    public let id: String
    /// Its type.
    public let type: String
    /// When it began.
    public let start: Double
    /// When it ended.
    public let end: Double
    /// A number in `unit`, or the value of a category.
    public let value: JSONScalar
    /// The UCUM code of the number's unit.
    public let unit: String?
    /// Whether the caller saved it.
    public let own: Bool
    /// Who saved it, if it was not the owner; to an app or program only of its own.
    public let app: String?
    /// The workout that it belongs to.
    public let workout: String?
    /// The correlation that it belongs to.
    public let correlation: String?
    /// The key that its source gave it; only of the caller's own.
    public let key: String?
    /// Further properties.
    public let metadata: [String: JSONScalar]?

    /// Creates a value from its members.
    public init(
        id: String, type: String, start: Double, end: Double, value: JSONScalar,
        unit: String? = nil, own: Bool, app: String? = nil, workout: String? = nil,
        correlation: String? = nil, key: String? = nil, metadata: [String: JSONScalar]? = nil
    ) {
        self.id = id
        self.type = type
        self.start = start
        self.end = end
        self.value = value
        self.unit = unit
        self.own = own
        self.app = app
        self.workout = workout
        self.correlation = correlation
        self.key = key
        self.metadata = metadata
    }
}

/// A stored workout; times are in milliseconds since 1970.
public struct HealthWorkoutDescription: Codable, Sendable {
    /// The lines of a list.
    public struct Text: Codable, Sendable {
        /// Start, activity and duration: `2026-11-22 10:24 | running | 35 min 2 secs`.
        public let title: String
        /// Distance and floors: `5200 m | 12 floors`.
        public let detail: String

        /// Creates a value from its members.
        public init(title: String, detail: String) {
            (self.title, self.detail) = (title, detail)
        }
    }

    /// Its identifier.
    public let id: String
    /// Its activity.
    public let activity: String
    /// When it began.
    public let start: Double
    /// When it ended.
    public let end: Double
    /// Milliseconds in which it was active.
    public let duration: Double
    /// Whether the caller saved it.
    public let own: Bool
    /// Who saved it, if it was not the owner; to an app or program only of its own.
    public let app: String?
    /// What its samples add up to, by type, in the stored units.
    public let totals: [String: Double]
    /// Metres, of all distances.
    public let distance: Double?
    /// Floors.
    public let floors: Double?
    /// The lines of a list.
    public let text: Text
    /// The key that its source gave it; only of the caller's own.
    public let key: String?
    /// Further properties.
    public let metadata: [String: JSONScalar]?
    /// Its samples, the oldest first; missing in lists.
    public let samples: [HealthSampleDescription]?

    /// Creates a value from its members.
    public init(
        id: String, activity: String, start: Double, end: Double, duration: Double, own: Bool,
        app: String? = nil, totals: [String: Double], distance: Double? = nil,
        floors: Double? = nil, text: Text, key: String? = nil,
        metadata: [String: JSONScalar]? = nil, samples: [HealthSampleDescription]? = nil
    ) {
        self.id = id
        self.activity = activity
        self.start = start
        self.end = end
        self.duration = duration
        self.own = own
        self.app = app
        self.totals = totals
        self.distance = distance
        self.floors = floors
        self.text = text
        self.key = key
        self.metadata = metadata
        self.samples = samples
    }
}

/// A stored correlation; times are in milliseconds since 1970.
public struct HealthCorrelationDescription: Codable, Sendable {
    /// Its identifier.
    public let id: String
    /// Its type.
    public let type: String
    /// When it was measured.
    public let start: Double
    /// The same.
    public let end: Double
    /// Whether the caller saved it.
    public let own: Bool
    /// Who saved it, if it was not the owner; to an app or program only of its own.
    public let app: String?
    /// The key that its source gave it; only of the caller's own.
    public let key: String?
    /// Further properties.
    public let metadata: [String: JSONScalar]?
    /// Its samples.
    public let samples: [HealthSampleDescription]

    /// Creates a value from its members.
    public init(
        id: String, type: String, start: Double, end: Double, own: Bool, app: String? = nil,
        key: String? = nil, metadata: [String: JSONScalar]? = nil,
        samples: [HealthSampleDescription]
    ) {
        self.id = id
        self.type = type
        self.start = start
        self.end = end
        self.own = own
        self.app = app
        self.key = key
        self.metadata = metadata
        self.samples = samples
    }
}

/// How much health data of one type one source has saved.
public struct HealthCountDescription: Codable, Sendable {
    /// The type.
    public let type: String
    /// The source; missing for the owner.
    public let app: String?
    /// How many objects.
    public let count: Int
    /// The start of the oldest, in milliseconds since 1970.
    public let oldest: Double
    /// The start of the newest.
    public let newest: Double

    /// Creates a value from its members.
    public init(type: String, app: String? = nil, count: Int, oldest: Double, newest: Double) {
        self.type = type
        self.app = app
        self.count = count
        self.oldest = oldest
        self.newest = newest
    }
}

/// How much health data was deleted.
public struct HealthDeletion: Codable, Sendable {
    /// How many objects, samples of workouts and correlations included.
    public let deleted: Int

    /// Creates a value from its members.
    public init(deleted: Int) {
        self.deleted = deleted
    }
}
