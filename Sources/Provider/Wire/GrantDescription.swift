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
    /// How often the person said no to it for one run; there once it is not asked any more.
    public let refusals: Int?

    init(_ record: PermissionRecord) {
        client = record.client
        privilege = record.privilege.description
        state = record.state.rawValue
        terms = record.terms.map(TermsDescription.init)
        once = record.run != nil
        decided = record.decided.milliseconds
        refusals = nil
    }

    /// What is not asked any more, as if it were denied.
    init(_ refusal: Refusal) {
        client = refusal.client
        privilege = refusal.privilege.description
        state = PermissionRecord.State.denied.rawValue
        terms = nil
        once = false
        decided = refusal.refused.milliseconds
        refusals = refusal.count
    }
}
