import API
import Auth
import Foundation
import Host
import Samples

/// A run that is prepared but not started: decisions can be made for it.
struct PreparedRun: Sendable {
    let run: String
    private let app: String

    /// - Parameters:
    ///   - app: the name of an installed app.
    ///   - inBackground: whether it continues without this command.
    static func prepare(
        _ app: String, inBackground: Bool, _ session: HostSession
    ) async throws -> PreparedRun {
        let made = try await session.client.prepareRun(of: app, inBackground: inBackground)
        return PreparedRun(run: try made.value.run, app: app)
    }

    /// - Parameters:
    ///   - isAnswer: whether it answers a prompt.
    ///   - choice: the chosen sensors; `nil` for all.
    func decide(
        _ decision: Decision, _ privilege: PrivilegeID, _ session: HostSession,
        isAnswer: Bool = false, among choice: InstanceChoice? = nil
    ) async throws {
        _ = try await session.client.decide(
            DecisionRequest(decision, run: run, isAnswer: isAnswer, among: choice),
            on: privilege.description, by: app)
    }

    /// Makes the decision of a flag; the host adds the sensors that are excluded.
    func decide(_ flag: FlagDecisions.Flag, _ session: HostSession) async throws {
        var request = DecisionRequest(flag.decision, run: run)
        request.only = flag.only?.map(\.description)
        _ = try await session.client.decide(
            request, on: flag.privilege.description, by: app)
    }

    /// Starts it in the background.
    func start(insecure: Bool, _ session: HostSession) async throws -> RunDescription {
        try await session.client.startRun(run, StartRunRequest(insecure: insecure)).value
    }

    /// Stops the run and ends its grants; does nothing if it has ended.
    func stop(_ session: HostSession) async {
        _ = try? await session.client.stopRun(run)
    }
}

/// The decisions of `--allow`, `--deny` and `--allow-all` for one run; denial takes precedence.
struct FlagDecisions {
    /// One decision.
    struct Flag: Hashable {
        let privilege: PrivilegeID
        let decision: Decision
        /// The chosen sensors; `nil` for all.
        var only: [SensorID]?

        /// The option of the command line.
        var option: String {
            let name = decision == .allowOnce ? "--allow" : "--deny"
            let sensors = only.map { "=" + $0.map(\.description).joined(separator: ",") } ?? ""
            return "\(name) \(privilege)\(sensors)"
        }
    }

    let decisions: [Flag]
    /// Privileges that only `--allow-all` allows.
    let implied: [PrivilegeID]
    private let covered: Set<PrivilegeID>
    /// Whether `--allow-all` is given.
    let allowsAll: Bool

    /// - Parameters:
    ///   - set: privileges that are decided as by flags; those that the app does not declare are ignored.
    ///   - asksAtFirstUse: whether the app declares no privileges, so that flags may name any.
    /// - Throws: `usage` if a flag names a privilege that the app does not declare.
    init(
        _ set: PermissionSet = PermissionSet(), allow: [String], deny: [String], allowAll: Bool,
        declared: [AppDescription.DeclaredPrivilege], asksAtFirstUse: Bool = false
    ) throws {
        allowsAll = allowAll
        let known = declared.filter(\.supported).compactMap { PrivilegeID($0.privilege) }
        var decisions: [Flag] = []
        var covered: Set<PrivilegeID> = []
        // A later decision replaces an earlier one, and denials override grants.
        for (texts, decision, isFlag) in [
            (set.allow, Decision.allowOnce, false), (allow, .allowOnce, true),
            (set.deny, .denyOnce, false), (deny, .denyOnce, true),
        ] {
            for text in texts {
                let flag = Self.flag(text, decision)
                let named = flag?.privilege
                let match = known.first { declared in
                    named.map { Self.covers(declared, $0) } ?? false
                }
                guard let flag, let match = match ?? (asksAtFirstUse ? named : nil) else {
                    guard isFlag else { continue }
                    throw Self.undeclared(text, known)
                }
                decisions.append(flag)
                covered.insert(match)
            }
        }
        implied = allowAll ? known.filter { !covered.contains($0) } : []
        covered.formUnion(implied)
        self.decisions = decisions
        self.covered = covered
    }

    /// Parses `PRIVILEGE`, or `PRIVILEGE=SENSOR,SENSOR` for some sensors of a kind.
    ///
    /// - Returns: `nil` if the text is malformed, or a sensor is not of the kind.
    static func flag(_ text: String, _ decision: Decision) -> Flag? {
        // No privilege contains an equals sign.
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let privilege = PrivilegeID(String(parts[0])) else { return nil }
        guard parts.count > 1 else { return Flag(privilege: privilege, decision: decision) }
        guard decision == .allowOnce, let kind = privilege.sensor else { return nil }
        let names = parts[1].split(separator: ",", omittingEmptySubsequences: false)
        let only = names.compactMap { SensorID(String($0)) }
        guard only.count == names.count, only.allSatisfy(kind.covers) else { return nil }
        return Flag(privilege: privilege, decision: decision, only: only)
    }

    /// Whether the flags decide a declared privilege.
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
