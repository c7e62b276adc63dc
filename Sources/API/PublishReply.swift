/// Samples that were published.
public struct PublishReply: Codable, Sendable {
    /// How many were accepted.
    public let accepted: Int
    /// The sequence number of the last one.
    public let last: Int64

    /// Creates a value from its members.
    public init(accepted: Int, last: Int64) {
        self.accepted = accepted
        self.last = last
    }
}

/// The outcome of a push.
public struct PushReply: Codable, Sendable {
    /// Samples of a sensor that were stored.
    public struct Kept: Codable, Sendable {
        /// The sensor's identifier.
        public let sensor: String
        /// How many were accepted.
        public let accepted: Int

        /// Creates a value from its members.
        public init(sensor: String, accepted: Int) {
            self.sensor = sensor
            self.accepted = accepted
        }
    }

    /// Readings of a sensor that were refused.
    public struct Refused: Codable, Sendable {
        /// The sensor's identifier.
        public let sensor: String
        /// How many readings were refused.
        public let readings: Int
        /// The code of the problem.
        public let code: String
        /// The problem, in a sentence.
        public let detail: String

        /// Creates a value from its members.
        public init(sensor: String, readings: Int, code: String, detail: String) {
            self.sensor = sensor
            self.readings = readings
            self.code = code
            self.detail = detail
        }
    }

    /// How many samples were stored.
    public let accepted: Int
    /// Samples stored, by sensor.
    public let sensors: [Kept]
    /// Readings refused, by sensor.
    public let refused: [Refused]
    /// Readings dropped, by reason.
    public let dropped: [String: Int]

    /// Creates a value from its members.
    public init(accepted: Int, sensors: [Kept], refused: [Refused], dropped: [String: Int]) {
        self.accepted = accepted
        self.sensors = sensors
        self.refused = refused
        self.dropped = dropped
    }
}

/// The problem that some lines of a push were not stored, in the form of InfluxDB.
///
/// InfluxDB's clients of version 2 display `message`, those of version 1 `error`.
public struct PartialWrite: Codable, Sendable {
    /// A line that was not stored.
    public struct Line: Codable, Sendable {
        /// Its number, from 1.
        public let line: Int
        /// Why it was not stored.
        public let reason: String

        /// Creates a value from its members.
        public init(line: Int, reason: String) {
            self.line = line
            self.reason = reason
        }
    }

    /// As in ``ProblemDetails``.
    public let type: String
    /// As in ``ProblemDetails``.
    public let title: String
    /// As in ``ProblemDetails``.
    public let status: Int
    /// As in ``ProblemDetails``.
    public let code: String
    /// As in ``ProblemDetails``.
    public let detail: String
    /// The same as `detail`.
    public let message: String
    /// The same as `detail`.
    public let error: String
    /// How many samples were stored.
    public let accepted: Int
    /// How many lines were not stored.
    public let dropped: Int
    /// The first of the lines that were not stored.
    public let lines: [Line]

    /// Creates the problem with its texts.
    public init(accepted: Int, dropped: Int, lines: [Line]) {
        let problem = ProblemCode.partialWrite
        (type, title, status) = (problem.type, problem.title, problem.status)
        code = problem.rawValue
        let first = lines.first.map { "line \($0.line): \($0.reason)" } ?? ""
        let text = "partial write: \(first) dropped=\(dropped)"
        (detail, message, error) = (text, text, text)
        (self.accepted, self.dropped, self.lines) = (accepted, dropped, lines)
    }
}

/// The answer to metrics: the `ExportMetricsServiceResponse` of OTLP, in the JSON of protobuf.
public struct ExportMetricsReply: Codable, Sendable {
    /// What was rejected.
    public struct PartialSuccess: Codable, Sendable {
        /// The number of data points, a 64-bit integer as text.
        public let rejectedDataPoints: String
        /// Why, in sentences.
        public let errorMessage: String
    }

    /// `nil` if everything was stored.
    public let partialSuccess: PartialSuccess?

    /// Everything was stored.
    public init() { partialSuccess = nil }

    /// Some data points were rejected.
    public init(rejected: Int, message: String) {
        partialSuccess = PartialSuccess(rejectedDataPoints: "\(rejected)", errorMessage: message)
    }
}
