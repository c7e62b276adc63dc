import VM

/// How a source that sends of its own accord is doing, as the API tells of it.
public struct ConnectionReport: Codable, Sendable {
    public struct LeftOut: Codable, Sendable {
        public let malformed: Int
        public let incomplete: Int
        public let mistimed: Int
        public let repeated: Int
        public let excess: Int
    }

    /// `unknown`, `scanning`, `connecting`, `connected` or `disconnected`.
    public let state: String
    public let connections: Int
    public let received: Int
    public let taken: Int
    public let late: Int
    public let leftOut: LeftOut
    public let problem: String?

    init(_ report: SourceReport) {
        state = report.link.rawValue
        connections = report.connections
        received = report.received
        taken = report.taken
        late = report.late
        leftOut = LeftOut(
            malformed: report.leftOut.malformed, incomplete: report.leftOut.incomplete,
            mistimed: report.leftOut.mistimed, repeated: report.leftOut.repeated,
            excess: report.leftOut.excess)
        problem = report.problem
    }
}
