import Foundation
import Samples
import Synchronization
import TestSupport
import Testing

@testable import Auth

/// A temporary folder with the database of an authority; the folder is removed with this value.
final class AuthorityFixture: Sendable {
    let folder: URL
    let clock = ManualTime(at: Timestamp(microseconds: 1_800_000_000_000_000))

    var path: String { folder.path(percentEncoded: false) + "/permissions.sqlite" }

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "auth-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Opens the database, as each start of the host does.
    ///
    /// - Parameters:
    ///   - restricted: the privileges that the policy blocks.
    ///   - timeLimit: how long a call waits for a decision; only the test advances the clock.
    func open(
        restricted: [String] = [], timeLimit: Duration = .seconds(45)
    ) async throws -> Authority {
        let restrictions = try restricted.map {
            try #require(Restriction($0, file: "/etc/nervous/policy.json"))
        }
        return try await Authority(
            path: path, policy: Policy(restrictions), time: clock, timeLimit: timeLimit)
    }
}

/// Answers the requests of a run in the order of a script, as the owner does in a terminal.
final class ScriptedOwner: Sendable {
    private let authority: Authority
    private let run: String
    private let seen = Mutex<[PendingRequest]>([])
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// The requests so far.
    var requests: [PendingRequest] { seen.withLock { $0 } }

    /// - Parameter answers: `nil` dismisses a request; so does the end of the script.
    init(_ answers: [Decision?] = [], run: String, of authority: Authority) async {
        self.authority = authority
        self.run = run
        let requests = await authority.watchRequests(of: run)
        let answering = Task { [weak self] in
            var rest = answers
            for await request in requests {
                await self?.answer(request, rest.isEmpty ? nil : rest.removeFirst())
            }
        }
        task.withLock { $0 = answering }
    }

    deinit { task.withLock { $0?.cancel() } }

    private func answer(_ request: PendingRequest, _ decision: Decision?) async {
        seen.withLock { $0.append(request) }
        do {
            if let decision {
                try await authority.decide(
                    decision, on: request.privilege, by: request.app, run: run, isAnswer: true)
            } else {
                try await authority.dismissRequest(request.privilege, of: request.app)
            }
        } catch {
            Issue.record(error)
        }
    }
}

extension Authority {
    /// Admits an app that declares nothing, so that the owner is asked at first use.
    func admitAskingApp(_ name: String = "app", identity: String = "1") async throws {
        try await admit(
            DeclaredApp(name: name, identity: identity, privileges: [], asksAtFirstUse: true))
    }

    /// Returns when an app waits for a decision.
    nonisolated func untilAsked() async throws {
        try await until { await !self.pendingRequests().isEmpty }
    }
}

/// The code of the error that a call ends with; `nil` when it succeeds.
func refusal(
    isolation: isolated (any Actor)? = #isolation, _ call: () async throws -> Void
) async -> AuthError.Code? {
    do {
        try await call()
        return nil
    } catch let error as AuthError {
        return error.code
    } catch {
        Issue.record(error)
        return nil
    }
}
