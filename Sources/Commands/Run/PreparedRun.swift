import Auth
import Foundation
import Host
import API
import Samples

/// A run that was prepared: what is decided now holds for it, and then it can be started.
struct Ticket: Sendable {
    let run: String
    private let app: String

    /// - Parameters:
    ///   - app: the name of an installed app.
    ///   - inBackground: whether it is to go on without this command.
    static func prepare(
        _ app: String, inBackground: Bool, _ session: HostSession
    ) async throws -> Ticket {
        let made = try await session.client.send(
            .post, "/api/v1/apps/\(ControlClient.segment(app))/runs",
            ["background": inBackground], as: RunDescription.self)
        return Ticket(run: made.run, app: app)
    }

    /// - Parameters:
    ///   - isAnswer: whether the person gave it when asked.
    ///   - choice: the instances that it is for; `nil` for all.
    func decide(
        _ decision: Decision, _ privilege: PrivilegeID, _ session: HostSession,
        isAnswer: Bool = false, among choice: InstanceChoice? = nil
    ) async throws {
        let parts = [app, privilege.description].map(ControlClient.segment)
        _ = try await session.client.data(
            .put, "/api/v1/grants/\(parts.joined(separator: "/"))",
            body: try JSONEncoder().encode(
                DecisionRequest(decision, run: run, isAnswer: isAnswer, among: choice)))
    }

    /// Decides what a flag says; what else there is beside the sensors it names is the host's to say.
    func decide(_ flag: FlagDecisions.Flag, _ session: HostSession) async throws {
        var request = DecisionRequest(flag.decision, run: run)
        request.only = flag.only?.map(\.description)
        let parts = [app, flag.privilege.description].map(ControlClient.segment)
        _ = try await session.client.data(
            .put, "/api/v1/grants/\(parts.joined(separator: "/"))",
            body: try JSONEncoder().encode(request))
    }

    /// Starts it in the background.
    func start(insecure: Bool, _ session: HostSession) async throws -> RunDescription {
        try await session.client.send(
            .post, "/api/v1/runs/\(run)/start", ["insecure": insecure], as: RunDescription.self)
    }

    /// Stops it and what was granted for it; nothing when it has ended.
    func stop(_ session: HostSession) async {
        _ = try? await session.client.data(.delete, "/api/v1/runs/\(run)")
    }
}

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
