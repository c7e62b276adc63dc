import Foundation
import Testing

@testable import AppStorage

/// A folder that is removed with this value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory
            .appending(path: "app-storage-\(UUID().uuidString)", directoryHint: .notDirectory)
            .path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The code of the error that a call ends with; `nil` when it succeeds.
func refusal(
    isolation: isolated (any Actor)? = #isolation, _ call: () async throws -> Void
) async -> AppStorageError.Code? {
    do {
        try await call()
        return nil
    } catch let error as AppStorageError {
        return error.code
    } catch {
        Issue.record(error)
        return nil
    }
}
