/// A session; times are in milliseconds since 1970.
public struct SessionDescription: Codable, Sendable {
    /// An interval in which it was active.
    public struct Span: Codable, Sendable {
        /// Its start.
        public let from: Double
        /// Its end; missing while it is active.
        public let to: Double?

        /// Creates a value from its members.
        public init(from: Double, to: Double? = nil) {
            self.from = from
            self.to = to
        }
    }

    /// Its identifier.
    public let id: String
    /// Its name.
    public let name: String
    /// Its description.
    public let description: String
    /// The sensors that belong to it.
    public let sensors: [String]
    /// `inactive`, `active` or `paused`.
    public let state: String
    /// Whether it is finished.
    public let finished: Bool
    /// When it was created.
    public let created: Double
    /// The intervals in which it was active, in order.
    public let spans: [Span]
    /// Milliseconds in which it was active.
    public let elapsed: Double
    /// The length of its route in metres, if the owner entered one.
    public let distance: Double?
    /// `true` if it was imported.
    public let imported: Bool?
    /// The app or program that created it; missing if the owner created it.
    ///
    /// In a response to an app or program, it is also missing from sessions that another client
    /// created.
    public let app: String?

    /// Creates a value from its members.
    public init(
        id: String, name: String, description: String, sensors: [String], state: String,
        finished: Bool, created: Double, spans: [Span], elapsed: Double, distance: Double? = nil,
        imported: Bool? = nil, app: String? = nil
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.sensors = sensors
        self.state = state
        self.finished = finished
        self.created = created
        self.spans = spans
        self.elapsed = elapsed
        self.distance = distance
        self.imported = imported
        self.app = app
    }
}

/// The request to create or change a session.
public struct SessionRequest: Codable, Sendable {
    /// The identifier of a new session; the host chooses one if missing.
    public var id: String?
    /// Its name.
    public var name: String?
    /// Its description.
    public var description: String?
    /// The sensors that belong to it.
    public var sensors: [String]?
    /// The length of the route of an existing session, in metres.
    public var distance: Double?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, description, sensors, distance
    }

    /// Creates a value from its members.
    public init(
        id: String? = nil, name: String? = nil, description: String? = nil,
        sensors: [String]? = nil, distance: Double? = nil
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.sensors = sensors
        self.distance = distance
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decodeIfPresent(String.self, forKey: .id)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        description = try members.decodeIfPresent(String.self, forKey: .description)
        sensors = try members.decodeIfPresent([String].self, forKey: .sensors)
        distance = try members.decodeIfPresent(Double.self, forKey: .distance)
    }
}

/// The measurements of a session so far; members without a value are missing.
public struct LiveDescription: Codable, Sendable {
    /// Milliseconds since 1970.
    public let t: Double
    /// `inactive`, `active` or `paused`.
    public let state: String
    /// Whether it is finished.
    public let finished: Bool
    /// Milliseconds in which it was active.
    public let elapsed: Double
    /// A summary such as `512.30m | 700 steps | 2 floors`.
    public let text: String
    /// Metres.
    public let distance: Double?
    /// Steps.
    public let steps: Int?
    /// Floors climbed.
    public let floors: Int?
    /// Seconds per metre, over the last minute.
    public let pace: Double?
    /// The recognised activity.
    public let activity: String?
    /// How certain the activity is.
    public let confidence: String?

    /// Creates a value from its members.
    public init(
        t: Double, state: String, finished: Bool, elapsed: Double, text: String,
        distance: Double? = nil, steps: Int? = nil, floors: Int? = nil, pace: Double? = nil,
        activity: String? = nil, confidence: String? = nil
    ) {
        self.t = t
        self.state = state
        self.finished = finished
        self.elapsed = elapsed
        self.text = text
        self.distance = distance
        self.steps = steps
        self.floors = floors
        self.pace = pace
        self.activity = activity
        self.confidence = confidence
    }
}

/// The sessions of an imported file.
public struct ImportDescription: Codable, Sendable {
    /// The new sessions, in the order of the file.
    public let items: [SessionDescription]
    /// The identifiers of sessions that exist already; they do not change.
    public let known: [String]
    /// The parts of the file that were left out or changed.
    public let remarks: [ImportRemark]

    /// Creates a value from its members.
    public init(items: [SessionDescription], known: [String], remarks: [ImportRemark]) {
        (self.items, self.known, self.remarks) = (items, known, remarks)
    }
}

/// A part of an imported file that was left out or changed.
public struct ImportRemark: Codable, Sendable {
    /// What happened, such as `invalidPosition`.
    public let kind: String
    /// The name or number of the track; missing for the whole file.
    public let track: String?
    /// The number of points that this concerns.
    public let count: Int
    /// A sentence for the owner.
    public let text: String

    /// Creates a value from its members.
    public init(kind: String, track: String?, count: Int, text: String) {
        (self.kind, self.track, self.count, self.text) = (kind, track, count, text)
    }
}

/// The request to upload the route of a session.
public struct SendRequest: Codable, Sendable {
    /// The URL of the server: `https`, unless the server is on this machine.
    public let to: String
    /// The absolute path of a file with the server's token.
    public let tokenFile: String?
    /// Whether to keep the upload if it fails; `true` if missing.
    public let keep: Bool?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case to, tokenFile, keep
    }

    /// Creates a value from its members.
    public init(to: String, tokenFile: String? = nil, keep: Bool? = nil) {
        self.to = to
        self.tokenFile = tokenFile
        self.keep = keep
    }

    /// - Throws: `DecodingError`, also for an unknown member.
    public init(from decoder: any Decoder) throws {
        try decoder.rejectMembers(except: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        to = try members.decode(String.self, forKey: .to)
        tokenFile = try members.decodeIfPresent(String.self, forKey: .tokenFile)
        keep = try members.decodeIfPresent(Bool.self, forKey: .keep)
    }
}

/// The outcome of an upload.
public struct SendReply: Codable, Sendable {
    /// Whether the server accepted it.
    public let delivered: Bool
    /// The server's status, if it accepted the upload.
    public let status: Int?
    /// The upload in the outbox, if the server did not accept it.
    public let kept: UploadDescription?
    /// The time ranges of damaged samples, which the upload lacks.
    public let damaged: String?

    /// Creates a value from its members.
    public init(
        delivered: Bool, status: Int? = nil, kept: UploadDescription? = nil,
        damaged: String? = nil
    ) {
        self.delivered = delivered
        self.status = status
        self.kept = kept
        self.damaged = damaged
    }
}

/// An upload in the outbox; times are in milliseconds since 1970.
public struct UploadDescription: Codable, Sendable {
    /// Its identifier.
    public let id: String
    /// The URL that it is sent to.
    public let address: String
    /// A title for display.
    public let title: String
    /// The media type of its body.
    public let mediaType: String
    /// Bytes of its body.
    public let size: Int
    /// When it was created.
    public let created: Double
    /// `waiting` if it is retried automatically, otherwise `refused`.
    public let state: String
    /// How often it was attempted.
    public let attempts: Int
    /// Why the last attempt failed.
    public let problem: String
    /// The earliest time of the next attempt.
    public let next: Double?

    /// Creates a value from its members.
    public init(
        id: String, address: String, title: String, mediaType: String, size: Int, created: Double,
        state: String, attempts: Int, problem: String, next: Double? = nil
    ) {
        self.id = id
        self.address = address
        self.title = title
        self.mediaType = mediaType
        self.size = size
        self.created = created
        self.state = state
        self.attempts = attempts
        self.problem = problem
        self.next = next
    }
}
