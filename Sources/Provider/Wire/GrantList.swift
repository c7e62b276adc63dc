import Auth

/// What was decided, and what nobody is given on this machine whatever is decided.
public struct GrantList: Codable, Sendable {
    /// One line of a policy.
    public struct Restricted: Codable, Sendable {
        public let privilege: String
        /// The file that says so.
        public let file: String
    }

    public let items: [GrantDescription]
    /// Not there where no policy restricts anything.
    public let restricted: [Restricted]?

    init(_ items: [GrantDescription], _ policy: Policy) {
        self.items = items
        let lines = policy.restrictions.map { Restricted(privilege: $0.privilege, file: $0.file) }
        restricted = lines.isEmpty ? nil : lines
    }
}
