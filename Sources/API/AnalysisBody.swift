public import Text

/// The request for an analysis.
public struct AnalysisBody: Codable, Sendable {
    /// How samples of several sensors are joined.
    public struct Join: Codable, Hashable, Sendable {
        /// `nearest` or `last`.
        public let method: String
        /// The maximum distance in time, as a duration.
        public let within: String

        /// Creates a value from its members.
        public init(method: String, within: String) {
            self.method = method
            self.within = within
        }
    }

    /// Its name.
    public let analysis: String
    /// Fields of sensors, such as `cpu.busy`.
    public let inputs: [String]
    /// Milliseconds since 1970, a time in RFC 3339, or a duration before now.
    public var from: JSONScalar?
    /// Milliseconds since 1970, a time in RFC 3339, or a duration before now.
    public var to: JSONScalar?
    /// Conditions such as `cpu.busy>50`.
    public var `where`: [String]?
    /// Means of windows of this length replace the samples.
    public var every: String?
    /// How samples of several sensors are joined.
    public var join: Join?
    /// The parameters of the analysis.
    public var parameters: [String: JSONScalar]?

    /// Creates the request for an analysis of all samples.
    public init(_ analysis: String, of inputs: [String]) {
        self.analysis = analysis
        self.inputs = inputs
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: [
            "analysis", "inputs", "from", "to", "where", "every", "join", "parameters",
        ])
        let members = try decoder.container(keyedBy: CodingKeys.self)
        analysis = try members.decode(String.self, forKey: .analysis)
        inputs = try members.decode([String].self, forKey: .inputs)
        from = try members.decodeIfPresent(JSONScalar.self, forKey: .from)
        to = try members.decodeIfPresent(JSONScalar.self, forKey: .to)
        `where` = try members.decodeIfPresent([String].self, forKey: .where)
        every = try members.decodeIfPresent(String.self, forKey: .every)
        join = try members.decodeIfPresent(Join.self, forKey: .join)
        parameters = try members.decodeIfPresent([String: JSONScalar].self, forKey: .parameters)
    }
}

/// The result of an analysis.
///
/// Missing values are written as `null`.
public struct AnalysisReply: Codable, Sendable {
    /// An input.
    public struct Input: Codable, Sendable {
        /// The field, such as `cpu.busy`.
        public let input: String
        /// Its unit as a UCUM code.
        public let unit: String?
        /// Its type.
        public let kind: String

        /// Creates a value from its members.
        public init(input: String, unit: String? = nil, kind: String) {
            self.input = input
            self.unit = unit
            self.kind = kind
        }
    }

    /// The name of the analysis.
    public let analysis: String
    /// Its inputs.
    public let inputs: [Input]
    /// The number of rows that were analysed; `nil` if suppressed because they are too few.
    public let count: Int?
    /// An object whose members depend on the analysis; `nil` if suppressed.
    public let result: JSONValue?
    /// `true` if samples of which only summaries are left were not included.
    public let partial: Bool?
    /// Ranges of damaged samples; missing if none are known.
    public let damaged: [DamagedRange]?

    /// Creates a value from its members.
    public init(
        analysis: String, inputs: [Input], count: Int? = nil, result: JSONValue? = nil,
        partial: Bool? = nil, damaged: [DamagedRange]? = nil
    ) {
        self.analysis = analysis
        self.inputs = inputs
        self.count = count
        self.result = result
        self.partial = partial
        self.damaged = damaged
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(analysis, forKey: .analysis)
        try members.encode(inputs, forKey: .inputs)
        try members.encode(count, forKey: .count)
        try members.encode(result, forKey: .result)
        try members.encodeIfPresent(partial, forKey: .partial)
        try members.encodeIfPresent(damaged, forKey: .damaged)
    }
}

/// Statistics of a sensor.
public struct StatisticsAnswer: Codable, Sendable {
    /// The statistics of one window.
    public struct Window: Codable, Sendable {
        /// Milliseconds since 1970; missing if open.
        public let from: Double?
        /// Milliseconds since 1970; missing if open.
        public let to: Double?
        /// The number of samples; missing if suppressed because they are too few.
        public let count: Int?
        /// By field, then by statistic.
        public let values: [String: [String: Double?]]
        /// `true` if the window includes summaries of deleted samples: percentiles are within 1 %.
        public let approximate: Bool?
        /// `true` if samples were not included: they are damaged, or only the summary of their hour is
        /// left and the window does not contain the whole hour.
        public let partial: Bool?
        /// The coverage of the window up to now, 0 to 1; missing if unknown.
        public let coverage: Double?
        /// The covered time, in milliseconds.
        public let seen: Double?

        /// Creates a value from its members.
        public init(
            from: Double? = nil, to: Double? = nil, count: Int? = nil,
            values: [String: [String: Double?]], approximate: Bool? = nil, partial: Bool? = nil,
            coverage: Double? = nil, seen: Double? = nil
        ) {
            self.from = from
            self.to = to
            self.count = count
            self.values = values
            self.approximate = approximate
            self.partial = partial
            self.coverage = coverage
            self.seen = seen
        }
    }

    /// The sensor's identifier.
    public let sensor: String
    /// Its fields.
    public let fields: [SensorDescription.FieldDescription]
    /// The statistics, in the order of the request.
    public let fn: [String]
    /// The windows.
    public let items: [Window]
    /// Ranges of damaged samples; missing if none are known.
    public let damaged: [DamagedRange]?

    /// Creates a value from its members.
    public init(
        sensor: String, fields: [SensorDescription.FieldDescription], fn: [String], items: [Window],
        damaged: [DamagedRange]? = nil
    ) {
        self.sensor = sensor
        self.fields = fields
        self.fn = fn
        self.items = items
        self.damaged = damaged
    }
}

/// Statistics of several sensors, as columns.
public struct StatisticsColumns: Decodable, Sendable {
    /// The names of the fixed members of an item.
    ///
    /// Every other member is named after a field; a field with one of these names is in `values`.
    public static let members: Set<String> = [
        "sensor", "fields", "from", "to", "approximate", "partial", "damaged", "problem", "values",
    ]

    /// The statistics of one sensor, or why there are none.
    public struct Item: Decodable, Sendable {
        /// The sensor's name in the request.
        public let sensor: String
        /// Its fields; empty with a problem.
        public let fields: [SensorDescription.FieldDescription]
        /// Where each window begins, in milliseconds since 1970; `nil` if open.
        public let from: [Double?]
        /// Where the last window ends; `nil` if open.
        public let to: Double?
        /// By field, then by statistic: a number for each window, `nil` where it is not defined.
        public let columns: [String: [String: [Double?]]]
        /// The time ranges whose samples cannot be read.
        public let damaged: [DamagedRange]?
        /// Why the sensor could not be read.
        public let problem: ProblemDetails?

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: AnyKey.self)
            func member<T: Decodable>(_ type: T.Type, _ name: String) throws -> T? {
                try members.decodeIfPresent(type, forKey: AnyKey(name))
            }
            sensor = try members.decode(String.self, forKey: AnyKey("sensor"))
            problem = try member(ProblemDetails.self, "problem")
            damaged = try member([DamagedRange].self, "damaged")
            fields = try member([SensorDescription.FieldDescription].self, "fields") ?? []
            from = try member([Double?].self, "from") ?? []
            to = try member(Double.self, "to")
            var columns = try member([String: [String: [Double?]]].self, "values") ?? [:]
            for field in fields where columns[field.name] == nil {
                columns[field.name] = try member([String: [Double?]].self, field.name)
            }
            self.columns = columns
        }
    }

    /// Where the range begins, in milliseconds since 1970; `nil` if open.
    public let from: Double?
    /// The requested length of a window, in milliseconds; `nil` for one window, and for windows of the
    /// calendar.
    public let every: Double?
    /// The sensors, in the order of the request.
    public let items: [Item]
}
