import Auth
import Foundation
import Sessions
import Text
import VM

/// Whether the files that hold samples, permissions, sessions and what apps keep are sound.
struct DatabaseCheck: DoctorCheck {
    let name = "databases"

    /// So many faults show which sensors and times are touched.
    private static let shown = 3

    func findings(_ context: DoctorContext) async -> [Finding] {
        let (samples, permissions) = (context.paths.samples, context.paths.permissions)
        let (stored, sessions) = (context.paths.appStorage, context.paths.sessions)
        return [
            await finding(samples) { try await VirtualMachine.faults(inFile: samples) },
            await finding(permissions) { try await Authority.faults(inFile: permissions) },
            await finding(stored) { try await Authority.faults(inFile: stored) },
            await finding(sessions) { try SessionBook.faults(inFile: sessions) },
        ]
    }

    private func finding(_ path: String, _ faults: () async throws -> [String]) async -> Finding {
        let file = (path as NSString).lastPathComponent
        guard access(path, F_OK) == 0 else {
            return note("\(file) is not there yet; it is made when it is first used.")
        }
        do {
            let found = try await faults()
            guard !found.isEmpty else { return fine("\(file) is sound") }
            let first = found.prefix(Self.shown).map { $0.escapedForDisplay(limit: 200) }
            let more = found.count > Self.shown ? " And \(found.count - Self.shown) more." : ""
            return broken(
                "\(file) is damaged: \(first.joined(separator: " "))\(more)",
                fix: Self.remedy(path))
        } catch {
            let reason = CommandFailure(error).message.escapedForDisplay(limit: 300)
            return broken("\(file) cannot be checked: \(reason)", fix: Self.remedy(path))
        }
    }

    private static func remedy(_ path: String) -> String {
        "Stop the host, put the file away, and take it from a backup: mv \(path.shellQuoted) "
            + "\(path).damaged".shellQuoted
    }
}
