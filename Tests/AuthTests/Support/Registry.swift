import Foundation
import Testing

@testable import Auth

/// An authority over a database in a folder that goes away with this value.
final class Registry: Sendable {
    let folder: URL
    let clock = TestClock()

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
    ///   - restricted: what the policy keeps from everybody.
    ///   - patience: how long a call waits for an answer.
    func open(
        _ prompter: any Prompter = NobodyPrompter(), restricted: [String] = [],
        patience: Duration = .seconds(45)
    ) async throws -> Authority {
        let clock = clock
        let restrictions = try restricted.map {
            try #require(Restriction($0, file: "/etc/nervous/policy.json"))
        }
        return try await Authority(
            path: path, policy: Policy(restrictions), prompter: prompter, now: { clock.now },
            patience: patience)
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
