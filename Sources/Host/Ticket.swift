import Auth
import Foundation
import Provider

/// One run as the host knows it: its name, and the token that ends with it.
struct Ticket: Decodable, Sendable {
    let run: String
    let token: String

    /// - Parameter app: the name of an installed app.
    static func begin(_ app: String, _ session: HostSession) async throws -> Ticket {
        let path = "/api/v1/apps/\(ControlClient.segment(app))/runs"
        var ticket = try JSONDecoder().decode(
            Ticket.self, from: try await session.client.data(.post, path))
        ticket.app = app
        return ticket
    }

    private var app = ""

    private enum CodingKeys: String, CodingKey {
        case run, token
    }

    /// - Parameter isAnswer: whether the person gave it when asked.
    func decide(
        _ decision: Decision, _ privilege: PrivilegeID, _ session: HostSession,
        isAnswer: Bool = false
    ) async throws {
        let parts = [app, privilege.description].map(ControlClient.segment)
        _ = try await session.client.data(
            .put, "/api/v1/grants/\(parts.joined(separator: "/"))",
            body: try JSONEncoder().encode(
                DecisionRequest(decision, run: run, isAnswer: isAnswer)))
    }

    /// Keeps the token alive until the task is cancelled.
    func keepAlive(_ session: HostSession) async {
        while (try? await Task.sleep(for: .seconds(600))) != nil {
            _ = try? await session.client.data(.put, "/api/v1/runs/\(run)")
        }
    }

    func end(_ session: HostSession) async {
        _ = try? await session.client.data(.delete, "/api/v1/runs/\(run)")
    }
}
