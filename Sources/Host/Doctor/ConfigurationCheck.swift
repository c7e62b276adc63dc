import Auth
import Foundation

/// Whether the configuration and the policy are understood.
struct ConfigurationCheck: DoctorCheck {
    let name = "config"

    func findings(_ context: DoctorContext) async -> [Finding] {
        let path = context.paths.configuration
        do {
            _ = try Configuration(path: path)
            _ = try Policy(files: context.paths.policies)
        } catch {
            return [broken(error.message, fix: error.hint)]
        }
        let isThere = FileManager.default.fileExists(atPath: path)
        return [
            isThere ? fine("\(path) is understood") : note("\(path) is not there; nothing is set.")
        ]
    }
}
