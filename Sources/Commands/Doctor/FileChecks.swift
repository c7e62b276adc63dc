import API
import Auth
import Backup
import Databases
import Foundation
import Health
import Host
import Samples
import Sessions
import Text
import VM

/// The databases of samples, permissions, app storage, sessions, health data and alert rules.
struct DatabaseCheck: DoctorCheck {
    let name = "databases"

    /// The maximum number of faults to report.
    private static let shown = 3

    func findings(_ context: DoctorContext) async -> [Finding] {
        let (samples, permissions) = (context.paths.samples, context.paths.permissions)
        let (stored, sessions) = (context.paths.appStorage, context.paths.sessions)
        let (health, alerts) = (context.paths.health, context.paths.alerts)
        do {
            try DataFormats.current.check(context.paths.data)
        } catch {
            return [broken(error.message, fix: error.hint)]
        }
        return [
            await finding(samples) { try await VirtualMachine.faults(inFile: samples) },
            await finding(permissions) { try DatabaseFile.defects(of: permissions) },
            await finding(stored) { try DatabaseFile.defects(of: stored) },
            await finding(sessions) { try DatabaseFile.defects(of: sessions) },
            await finding(health) { try DatabaseFile.defects(of: health) },
            await finding(alerts) { try DatabaseFile.defects(of: alerts) },
        ]
    }

    private func finding(_ path: String, _ faults: () async throws -> [String]) async -> Finding {
        let file = (path as NSString).lastPathComponent
        guard access(path, F_OK) == 0 else {
            return note("\(file) does not exist yet; it is created on first use.")
        }
        do {
            let found = try await faults()
            guard !found.isEmpty else { return fine("\(file) is intact") }
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
        "Stop the host, move the file away, and restore a backup: mv \(path.shellQuoted) "
            + "\(path).damaged".shellQuoted
    }
}

/// The access log: whether its hash chain is intact, and whether it is sealed.
struct AccessLogCheck: DoctorCheck {
    let name = "access-log"

    func findings(_ context: DoctorContext) async -> [Finding] {
        guard access(context.paths.permissions, F_OK) == 0 else {
            return [note("No access log yet.")]
        }
        do throws(AuthError) {
            let report = try await AccessLogVerification(path: context.paths.permissions)
                .run { context.onStep($0, $1) }
            if let failure = report.failure {
                return [broken(failure.message, fix: "See: nervous log --verify")]
            }
            return [
                fine("\(report.entryCount) entries intact"), seal(of: context.paths.permissions),
            ]
        } catch {
            let reason = error.message.escapedForDisplay(limit: 300)
            return [broken(reason, fix: "See: nervous log --verify")]
        }
    }

    private func seal(of database: String) -> Finding {
        guard let status = AccessLogSealStatus(of: database) else {
            return note(
                "not sealed: a program with write access could recompute the chain.",
                fix: "nervous log --seal")
        }
        let made = status.checkpoint.map { "last checkpoint \(Format.time($0.time.milliseconds))" }
        return fine(
            "sealed since \(Format.time(status.since.milliseconds)), "
                + (made ?? "no checkpoint yet"))
    }
}
