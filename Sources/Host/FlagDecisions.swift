import API
import Auth
import Provider
import Samples

/// What `--allow`, `--deny` and `--allow-all` decide for one run; denial is stronger.
struct FlagDecisions {
    /// One decision.
    struct Flag: Hashable {
        let privilege: PrivilegeID
        let decision: Decision
        /// The instances that it is for; `nil` for all.
        var only: [SensorID]?
    }

    let decisions: [Flag]
    /// What is allowed only because everything is.
    let blanket: [PrivilegeID]
    private let covered: Set<PrivilegeID>
    /// Whether everything that the app asks for is allowed.
    let allowsAll: Bool

    /// - Parameter asksAtFirstUse: whether the app was written before apps declared anything, so that
    ///   flags may name what it does not declare.
    /// - Throws: `usage` when a flag names what the app does not declare.
    init(
        allow: [String], deny: [String], allowAll: Bool,
        declared: [AppDescription.DeclaredPrivilege], asksAtFirstUse: Bool = false
    ) throws {
        allowsAll = allowAll
        let known = declared.filter(\.supported).compactMap { PrivilegeID($0.privilege) }
        var decisions: [Flag] = []
        var covered: Set<PrivilegeID> = []
        for (texts, decision) in [(allow, Decision.allowOnce), (deny, .denyOnce)] {
            for text in texts {
                let flag = Self.flag(text, decision)
                let named = flag?.privilege
                let owner = known.first { declared in
                    named.map { Self.covers(declared, $0) } ?? false
                }
                guard let flag, let owner = owner ?? (asksAtFirstUse ? named : nil)
                else { throw Self.undeclared(text, known) }
                decisions.append(flag)
                covered.insert(owner)
            }
        }
        blanket = allowAll ? known.filter { !covered.contains($0) } : []
        covered.formUnion(blanket)
        self.decisions = decisions
        self.covered = covered
    }

    /// Reads `PRIVILEGE`, or `PRIVILEGE=SENSOR,SENSOR` for what is allowed of a kind.
    ///
    /// - Returns: `nil` for a text that is neither, or names sensors that the privilege is not about.
    static func flag(_ text: String, _ decision: Decision) -> Flag? {
        // An origin has no equals sign, nor has any other privilege.
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let privilege = PrivilegeID(String(parts[0])) else { return nil }
        guard parts.count > 1 else { return Flag(privilege: privilege, decision: decision) }
        guard decision == .allowOnce, let kind = privilege.sensor else { return nil }
        let names = parts[1].split(separator: ",", omittingEmptySubsequences: false)
        let only = names.compactMap { SensorID(String($0)) }
        guard only.count == names.count, only.allSatisfy(kind.covers) else { return nil }
        return Flag(privilege: privilege, decision: decision, only: only)
    }

    /// Whether the flags say something about a declared privilege.
    func covers(_ privilege: PrivilegeID) -> Bool {
        covered.contains(privilege)
    }

    private static func covers(_ declared: PrivilegeID, _ named: PrivilegeID) -> Bool {
        guard let sensor = declared.sensor, let access = declared.access,
            let other = named.sensor, let wanted = named.access
        else { return declared == named }
        return sensor.covers(other) && access.includes(wanted)
    }

    private static func undeclared(_ text: String, _ known: [PrivilegeID]) -> CommandFailure {
        let names = known.map(\.description).joined(separator: ", ")
        return CommandFailure(
            .usage, "The app does not declare \(text).",
            hint: names.isEmpty ? "It declares nothing." : "It declares: \(names)")
    }
}
