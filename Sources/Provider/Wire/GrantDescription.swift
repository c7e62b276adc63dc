import Auth
import Samples

/// A decision as the API tells of it, and as the owner sends it.
public struct GrantDescription: Codable, Sendable {
    public let client: String
    public let privilege: String
    public let state: String
    public let terms: TermsDescription?
    /// Whether it ends with the run it was given for.
    public let once: Bool
    /// Milliseconds since 1970.
    public let decided: Double

    init(_ record: PermissionRecord) {
        client = record.client
        privilege = record.privilege.description
        state = record.state.rawValue
        terms = record.terms.map(TermsDescription.init)
        once = record.run != nil
        decided = record.decided.milliseconds
    }
}
