public import Samples

/// A sensor.
public struct SensorDescription: Codable, Sendable {
    /// A field of a sensor.
    public struct FieldDescription: Codable, Sendable {
        /// Its name.
        public let name: String
        /// Its unit as a UCUM code.
        public let unit: String?
        /// `number`, `integer`, `state` or `text`.
        public let kind: String

        /// Creates a value from its members.
        public init(name: String, unit: String? = nil, kind: String) {
            self.name = name
            self.unit = unit
            self.kind = kind
        }
    }

    /// Why a sensor is not available.
    public struct Unavailability: Codable, Sendable {
        /// The reason.
        public let reason: String
        /// How to make it available.
        public let remedy: String?

        /// Creates a value from its members.
        public init(reason: String, remedy: String? = nil) {
            self.reason = reason
            self.remedy = remedy
        }
    }

    /// The time between two reads at the level `auto`, in milliseconds.
    public struct Interval: Codable, Sendable {
        /// Until the next read; `nil` while the host does not collect.
        public let current: Double?
        /// While values change.
        public let shortest: Double
        /// While they do not.
        public let longest: Double

        /// Creates a value from its members.
        public init(current: Double? = nil, shortest: Double, longest: Double) {
            self.current = current
            self.shortest = shortest
            self.longest = longest
        }
    }

    /// How far the clock of a source differs from the host's, as an estimate.
    public struct Clock: Codable, Sendable {
        /// The source's clock minus the host's, in milliseconds; if negative, the messages may be delayed
        /// instead.
        public let offset: Double
        /// When the last message arrived that was compared, in milliseconds since 1970.
        public let measured: Double
        /// Whether the owner should correct a clock.
        public let wrong: Bool

        /// Creates a value from its members.
        public init(offset: Double, measured: Double, wrong: Bool) {
            self.offset = offset
            self.measured = measured
            self.wrong = wrong
        }
    }

    /// Its identifier.
    public let id: String
    /// Its title.
    public let title: String
    /// The fields of its samples.
    public let fields: [FieldDescription]
    /// The name of the numeric field that is shown where there is room for one value; missing without
    /// numeric fields.
    public let mainField: String?
    /// Where its samples come from.
    public let source: String
    /// The pipeline of a virtual sensor.
    public let definition: VirtualDefinition?
    /// Whether it is available.
    public let available: Bool
    /// Why it is not.
    public let unavailable: Unavailability?
    /// Its level.
    public let level: String
    /// The time between two reads of a sensor whose level is `auto`; for clients that may read all samples.
    public let interval: Interval?
    /// The client's W3C permission state for raw samples, or `statistics`.
    public let access: String
    /// The time of the newest sample, in milliseconds since 1970; for clients that may read it.
    public let newest: Double?
    /// The age of the newest sample, in milliseconds.
    public let age: Double?
    /// Whether another sample should have come since; `nil` if the sensor's interval is unknown.
    public let stale: Bool?
    /// The latest time of a sample if it is in the future, in milliseconds since 1970.
    public let future: Double?
    /// The clock of its source, if samples come with times of their own; for clients that may read all
    /// samples.
    public let clock: Clock?
    /// The last failure to read it; missing once a read has succeeded.
    public let failure: String?
    /// How often reading it has failed since the host started.
    public let failures: Int
    /// The connection to its source; for clients that may read all samples.
    public let connection: ConnectionReport?
    /// A remark about how it is read, or about what could not be read; it may have several lines.
    public let note: String?

    /// Creates a value from its members.
    public init(
        id: String, title: String, fields: [FieldDescription], mainField: String? = nil,
        source: String, definition: VirtualDefinition? = nil, available: Bool,
        unavailable: Unavailability? = nil, level: String, interval: Interval? = nil,
        access: String, newest: Double? = nil, age: Double? = nil, stale: Bool? = nil,
        future: Double? = nil, clock: Clock? = nil, failure: String? = nil, failures: Int,
        connection: ConnectionReport? = nil, note: String? = nil
    ) {
        self.id = id
        self.title = title
        self.fields = fields
        self.mainField = mainField
        self.source = source
        self.definition = definition
        self.available = available
        self.unavailable = unavailable
        self.level = level
        self.interval = interval
        self.access = access
        self.newest = newest
        self.age = age
        self.stale = stale
        self.future = future
        self.clock = clock
        self.failure = failure
        self.failures = failures
        self.connection = connection
        self.note = note
    }
}

/// The connection of a pushed sensor to its source.
public struct ConnectionReport: Codable, Sendable {
    /// The dropped samples, by reason.
    public struct Dropped: Codable, Sendable {
        /// Samples in another format, or with a value that does not fit its field.
        public let malformed: Int
        /// Samples that lack a field.
        public let incomplete: Int
        /// Samples without a valid timestamp.
        public let invalidTimestamp: Int
        /// Samples with the timestamp of an earlier one.
        public let repeated: Int
        /// Samples that exceed the rate of the source, or that arrived faster than they could be
        /// stored.
        public let excess: Int

        /// Creates a value from its members.
        public init(
            malformed: Int, incomplete: Int, invalidTimestamp: Int, repeated: Int, excess: Int
        ) {
            self.malformed = malformed
            self.incomplete = incomplete
            self.invalidTimestamp = invalidTimestamp
            self.repeated = repeated
            self.excess = excess
        }
    }

    /// `unknown`, `scanning`, `connecting`, `connected` or `disconnected`.
    public let state: String
    /// How often it connected.
    public let connections: Int
    /// Messages, lines or readings received.
    public let received: Int
    /// How many of them were stored as samples.
    public let taken: Int
    /// Stored samples that are older than a previous one.
    public let late: Int
    /// The dropped samples.
    public let dropped: Dropped
    /// The last failure.
    public let problem: String?

    /// Creates a value from its members.
    public init(
        state: String, connections: Int, received: Int, taken: Int, late: Int, dropped: Dropped,
        problem: String? = nil
    ) {
        self.state = state
        self.connections = connections
        self.received = received
        self.taken = taken
        self.late = late
        self.dropped = dropped
        self.problem = problem
    }
}

/// The definition of a virtual sensor.
public struct VirtualDefinition: Codable, Hashable, Sendable {
    /// A field of a virtual sensor: one number of each window.
    public struct Output: Codable, Hashable, Sendable {
        /// The field's name.
        public let name: String
        /// Its unit as a UCUM code; `nil` for none.
        public let unit: String?
        /// The inputs that it is computed from; `nil` if there is only one input.
        public let of: [String]?
        /// A statistic or an analysis, such as `mean` or `correlation`.
        public let by: String
        /// For an analysis: the length of the windows whose means replace the samples.
        public let every: String?

        /// Creates a value from its members.
        public init(
            name: String, unit: String? = nil, of: [String]? = nil, by: String, every: String? = nil
        ) {
            self.name = name
            self.unit = unit
            self.of = of
            self.by = by
            self.every = every
        }
    }

    /// Its identifier; may be omitted if the path contains it.
    public let name: String?
    /// Its title; `nil` if it is the identifier.
    public let title: String?
    /// Fields of other sensors, such as `cpu.busy`.
    public let inputs: [String]
    /// The length of a window, as a duration.
    public let window: String
    /// From the end of one window to the end of the next, as a duration; `nil` if it equals `window`.
    public let slide: String?
    /// The fields.
    public let outputs: [Output]

    /// Creates a value from its members.
    public init(
        name: String? = nil, title: String? = nil, inputs: [String], window: String,
        slide: String? = nil, outputs: [Output]
    ) {
        self.name = name
        self.title = title
        self.inputs = inputs
        self.window = window
        self.slide = slide
        self.outputs = outputs
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(
            except: ["name", "title", "inputs", "window", "slide", "outputs"])
        let members = try decoder.container(keyedBy: CodingKeys.self)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        title = try members.decodeIfPresent(String.self, forKey: .title)
        inputs = try members.decode([String].self, forKey: .inputs)
        window = try members.decode(String.self, forKey: .window)
        slide = try members.decodeIfPresent(String.self, forKey: .slide)
        outputs = try members.decode([Output].self, forKey: .outputs)
    }
}

extension VirtualDefinition.Output {
    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: ["name", "unit", "of", "by", "every"])
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try members.decode(String.self, forKey: .name),
            unit: try members.decodeIfPresent(String.self, forKey: .unit),
            of: try members.decodeIfPresent([String].self, forKey: .of),
            by: try members.decode(String.self, forKey: .by),
            every: try members.decodeIfPresent(String.self, forKey: .every))
    }
}

/// The declaration of a sensor that clients publish to.
public struct SensorDeclaration: Codable, Sendable {
    /// A field to declare.
    public struct Field: Codable, Sendable {
        /// Its name.
        public let name: String
        /// Its unit as a UCUM code.
        public let unit: String?
        /// Its type; `number` if missing.
        public let kind: Samples.Field.Kind?

        /// Creates a value from its members.
        public init(name: String, unit: String? = nil, kind: Samples.Field.Kind? = nil) {
            self.name = name
            self.unit = unit
            self.kind = kind
        }
    }

    /// Its title; `nil` if it is the identifier.
    public let title: String?
    /// Its fields.
    public let fields: [Field]

    /// Creates a value from its members.
    public init(title: String? = nil, fields: [Field]) {
        self.title = title
        self.fields = fields
    }

    /// - Throws: `DecodingError`, also for a member of a virtual sensor.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: ["title", "fields"])
        let members = try decoder.container(keyedBy: CodingKeys.self)
        title = try members.decodeIfPresent(String.self, forKey: .title)
        fields = try members.decode([Field].self, forKey: .fields)
    }
}

/// A sensor to declare: one that clients publish to, or a virtual one.
public enum SensorRequest: Codable, Sendable {
    /// A sensor that clients publish to; it has the member `fields`.
    case published(SensorDeclaration)
    /// A virtual sensor.
    case virtual(VirtualDefinition)

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: AnyKey.self)
        let isPublished = members.allKeys.contains { $0.stringValue == "fields" }
        self =
            isPublished
            ? .published(try SensorDeclaration(from: decoder))
            : .virtual(try VirtualDefinition(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .published(let declaration): try declaration.encode(to: encoder)
        case .virtual(let definition): try definition.encode(to: encoder)
        }
    }
}

/// The level of a sensor.
public struct LevelSetting: Codable, Sendable {
    /// `off`, `low`, `medium`, `high`, `auto` or an interval.
    public let level: String

    /// Creates a value from its members.
    public init(_ level: String) {
        self.level = level
    }
}

/// The levels of all sensors.
public struct LevelList: Codable, Sendable {
    /// The level of each sensor, by its identifier.
    public let levels: [String: String]

    /// Creates a value from its members.
    public init(_ levels: [String: String]) {
        self.levels = levels
    }
}

/// A sensor pack.
public struct PackDescription: Codable, Sendable {
    /// The identifier of its sensor.
    public let id: String
    /// Its title.
    public let title: String
    /// Its version.
    public let version: String?
    /// A description.
    public let description: String?
    /// The kind of its connector, such as `serial`.
    public let kind: String
    /// The location of its source: a device, a server or a command.
    public let place: String
    /// The consequences of using the source for the owner, in a sentence.
    public let consequence: String
    /// The fields of its sensor.
    public let fields: [SensorDescription.FieldDescription]
    /// Whether a pack of this name is installed.
    public let installed: Bool

    /// Creates a value from its members.
    public init(
        id: String, title: String, version: String? = nil, description: String? = nil, kind: String,
        place: String, consequence: String, fields: [SensorDescription.FieldDescription],
        installed: Bool
    ) {
        self.id = id
        self.title = title
        self.version = version
        self.description = description
        self.kind = kind
        self.place = place
        self.consequence = consequence
        self.fields = fields
        self.installed = installed
    }
}

/// A pack that was checked and not installed.
public struct PackCheck: Codable, Sendable {
    /// The pack.
    public let pack: PackDescription
    /// Its text with the owner's settings.
    public let text: String

    /// Creates a value from its members.
    public init(pack: PackDescription, text: String) {
        self.pack = pack
        self.text = text
    }
}
