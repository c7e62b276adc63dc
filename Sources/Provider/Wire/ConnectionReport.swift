import VM

/// How a source that sends of its own accord is doing, as the API tells of it.
public struct ConnectionReport: Codable, Sendable {
    public struct Dropped: Codable, Sendable {
        public let malformed: Int
        public let incomplete: Int
        public let invalidTimestamp: Int
        public let repeated: Int
        public let excess: Int
    }

    /// `unknown`, `scanning`, `connecting`, `connected` or `disconnected`.
    public let state: String
    public let connections: Int
    public let received: Int
    public let taken: Int
    public let late: Int
    public let dropped: Dropped
    public let problem: String?

    init(_ report: SourceReport) {
        state = report.link.rawValue
        connections = report.connections
        received = report.received
        taken = report.taken
        late = report.late
        dropped = Dropped(
            malformed: report.dropped.malformed, incomplete: report.dropped.incomplete,
            invalidTimestamp: report.dropped.invalidTimestamp, repeated: report.dropped.repeated,
            excess: report.dropped.excess)
        problem = report.problem
    }
}
