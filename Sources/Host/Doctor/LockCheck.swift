package import API
import Foundation
import Sealing
import Text

/// The owner's key, the ways to unlock it, and the secrets of the weaker kind.
package struct LockCheck: DoctorCheck {
    package let name = "lock"

    package init() {}

    package func findings(_ context: DoctorContext) async -> [Finding] {
        let paths = context.paths
        var findings = [key(paths)]
        findings.append(
            SecretBytes.isAvailable
                ? fine("keys are in memory that is neither swapped nor dumped")
                : broken(
                    "The memory for keys cannot be locked: nothing can be unlocked.",
                    fix: "Allow at least 256 KiB: ulimit -l, or LimitMEMLOCK= of the service"))
        let secrets = SecretStore(
            folder: paths.data, lock: OwnerLock(folder: paths.data),
            credential: paths.secretsCredential)
        if let fault = secrets.fault {
            findings.append(broken(fault.message, fix: fault.hint))
        }
        let weak = secrets.entries.filter { $0.keeper == .host }
        if !weak.isEmpty {
            let names = weak.map { "\($0.name) of \($0.holder)" }.joined(separator: ", ")
            findings.append(
                note(
                    "Usable while locked, and so readable by whoever reads all files of the host: "
                        + names.escapedForDisplay(limit: 300) + "."))
        }
        return findings
    }

    private func key(_ paths: HostPaths) -> Finding {
        do {
            guard let file = try OwnerKeyFile(in: paths.data) else {
                return note(
                    "There is no owner's key, so no secret can be sealed to it.",
                    fix: "nervous lock setup")
            }
            var ways = ["passphrase"]
            let hasCredential =
                paths.ownerCredential.map { FileManager.default.isReadableFile(atPath: $0) }
                ?? false
            if file.hasCredential {
                ways.append(hasCredential ? "credential" : "credential (not present)")
            }
            guard file.recovery != nil else {
                return note(
                    "The owner's key is unlocked by \(ways.joined(separator: " or "));"
                        + " there is no recovery key.")
            }
            guard FileManager.default.fileExists(atPath: file.recoveryPath) else {
                return note("The recovery file, \(file.recoveryPath), is missing.")
            }
            ways.append("recovery key")
            return fine("the owner's key is unlocked by \(ways.joined(separator: " or "))")
        } catch {
            return broken(error.message, fix: error.hint)
        }
    }
}
