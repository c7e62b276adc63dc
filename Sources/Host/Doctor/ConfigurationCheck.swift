import Foundation

/// Whether the configuration is understood.
struct ConfigurationCheck: DoctorCheck {
    let name = "config"

    func findings(_ context: DoctorContext) async -> [Finding] {
        let path = context.paths.configuration
        do {
            _ = try Configuration(path: path)
        } catch {
            return [broken(error.message, fix: error.hint)]
        }
        let isThere = FileManager.default.fileExists(atPath: path)
        return [
            isThere ? fine("\(path) is understood") : note("\(path) is not there; nothing is set.")
        ]
    }
}
