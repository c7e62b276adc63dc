import Auth
import Provider
import Samples

/// What `--allow`, `--deny` and `--allow-all` decide for one run; denial is stronger.
struct FlagDecisions {
    let decisions: [(PrivilegeID, Decision)]
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
        var decisions: [(PrivilegeID, Decision)] = []
        var covered: Set<PrivilegeID> = []
        for (texts, decision) in [(allow, Decision.allowOnce), (deny, .denyOnce)] {
            for text in texts {
                let named = PrivilegeID(text)
                let owner = known.first { declared in
                    named.map { Self.covers(declared, $0) } ?? false
                }
                guard let privilege = named, let owner = owner ?? (asksAtFirstUse ? named : nil)
                else { throw Self.undeclared(text, known) }
                decisions.append((privilege, decision))
                covered.insert(owner)
            }
        }
        blanket = allowAll ? known.filter { !covered.contains($0) } : []
        covered.formUnion(blanket)
        self.decisions = decisions
        self.covered = covered
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
