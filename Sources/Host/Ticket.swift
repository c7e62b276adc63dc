import API
import Auth
import Foundation
import Provider
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
