import Auth
import Foundation
import Text

/// Whether every line of the access log is as it was written.
struct AccessLogCheck: DoctorCheck {
    let name = "access-log"

    func findings(_ context: DoctorContext) async -> [Finding] {
        guard access(context.paths.permissions, F_OK) == 0 else {
            return [note("There is no access log yet.")]
        }
        do throws(AuthError) {
            let report = try await AccessLogVerification(path: context.paths.permissions)
                .run { context.onStep($0, $1) }
            if let failure = report.failure {
                return [broken(failure.message, fix: "See what fits: nervous log --verify")]
            }
            return [fine("\(report.lines) lines fit")]
        } catch {
            let reason = error.message.escapedForDisplay(limit: 300)
            return [broken(reason, fix: "See: nervous log --verify")]
        }
    }
}
