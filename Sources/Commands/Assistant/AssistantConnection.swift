import API
import Foundation
import Host
import MCP
import Text

/// The run of an assistant at the running host: its token, which is renewed, and ends with the command.
///
/// The host is reached when a tool needs it, so that the first messages of the protocol wait for nothing. The owner's
/// access to the control socket is used only to begin, renew and end the run; every call of a tool carries the token.
actor AssistantConnection: HostAccess {
    private struct Session {
        let owner: APIClient
        let client: APIClient
        let run: String
    }

    /// Half of the time for which the host issues a token.
    private static let renewalInterval = Duration.seconds(1800)

    private let name: String
    private let paths: HostPaths
    private let console: Console
    private var session: Session?
    private var opening: Task<Session, any Error>?
    /// A program that was created or found by this process is not created again: the owner may have revoked it.
    private var mayCreate = true

    init(_ name: String, _ paths: HostPaths, console: Console) {
        (self.name, self.paths, self.console) = (name, paths, console)
    }

    func client(afterRejection isRejected: Bool) async throws -> APIClient {
        if isRejected { session = nil }
        if let session { return session.client }
        // Calls at the same time share one run.
        let opening = opening ?? Task { try await open() }
        self.opening = opening
        defer { self.opening = nil }
        let session = try await opening.value
        self.session = session
        mayCreate = false
        return session.client
    }

    /// Renews the token until it is cancelled.
    func keepAlive() async {
        while (try? await Task.sleep(for: Self.renewalInterval)) != nil {
            guard let session else { continue }
            // If the host has restarted, the next call begins another run.
            try? await session.owner.renewRun(session.run, ofProgram: name)
        }
    }

    /// Ends the run.
    func end() async {
        guard let session else { return }
        self.session = nil
        // If the host has stopped, the run has ended with it.
        try? await session.owner.endRun(session.run, ofProgram: name)
    }

    private func open() async throws -> Session {
        do {
            guard try HostSession.isListening(paths.controlSocket) else {
                throw ToolFailure(
                    "Nervous is not running on this machine. Ask the owner to start it.")
            }
            let owner = try await ControlTransport.with(socket: paths.controlSocket) { $0 }
            let run = try await owner.beginRun(ofProgram: name, creates: mayCreate).value
            if run.created {
                console.say("\(name) is new: it may read statistics only, while it runs.")
            }
            return Session(
                owner: owner, client: owner.authorized(by: run.token), run: run.run)
        } catch let error as APIError {
            // The fix is the owner's, and might be a command that grants.
            let detail = error.problem?.detail ?? "The host answered with status \(error.status)."
            console.say("error: \(detail.escapedForDisplay(limit: 400))")
            throw ToolFailure("\(name) has no access to Nervous: \(detail) Ask the owner.")
        } catch let error as CommandFailure {
            throw ToolFailure("\(error.message) Ask the owner.")
        }
    }
}
