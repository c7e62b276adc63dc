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
    /// The file of the policy that keeps a grant from being in force.
    public let restrictedBy: String?

    /// - Parameters:
    ///   - policy: what keeps grants from being in force.
    ///   - isForOwner: whether it tells what was decided and which file is against it; others see
    ///     `denied`.
    init(_ record: PermissionRecord, _ policy: Policy, isForOwner: Bool = true) {
        client = record.client
        privilege = record.privilege.description
        once = record.run != nil
        decided = record.decided.milliseconds
        refusals = nil
        let given = record.terms.flatMap { terms in
            record.privilege.sensor.map { PrivilegeID(sensor: $0, access: terms.access) }
        }
        let file =
            record.terms == nil
            ? nil : policy.restriction(of: given ?? record.privilege)?.file
        let isHidden = file != nil && !isForOwner
        let shown = isHidden ? PermissionRecord.State.denied : record.state
        state = shown.rawValue
        terms = isHidden ? nil : record.terms.map(TermsDescription.init)
        restrictedBy = isForOwner ? file : nil
    }

    /// A privilege that the owner is not asked for again; described as denied.
    init(_ denials: DenialCount) {
        client = denials.client
        privilege = denials.privilege.description
        state = PermissionRecord.State.denied.rawValue
        terms = nil
        once = false
        decided = denials.last.milliseconds
        refusals = denials.count
        restrictedBy = nil
    }
}
