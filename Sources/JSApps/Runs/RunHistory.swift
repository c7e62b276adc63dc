import Files
import Foundation

/// The last runs of each app, kept in a file for each; every call blocks shortly.
struct RunHistory {
    private static let kept = 20

    /// The folder of the files.
    let folder: URL

    /// The runs of an app that have ended, newest first; none where the file cannot be read.
    func runs(of app: String) -> [RunReport] {
        guard let data = try? Data(contentsOf: file(app)) else { return [] }
        return (try? JSONDecoder().decode([RunReport].self, from: data)) ?? []
    }

    /// Adds a run that has ended.
    func add(_ run: RunReport) throws(JSAppsError) {
        let list = Array(([run] + runs(of: run.app)).prefix(Self.kept))
        do {
            try PrivateFolder.make(folder.path(percentEncoded: false))
            // Not waiting for the disk: many runs may end at once, and no promise hangs on this.
            try JSONEncoder().encode(list).write(to: file(run.app), options: .atomic)
        } catch {
            throw JSAppsError(.io, "The run of \(run.app) could not be recorded.", cause: error)
        }
    }

    func forget(_ app: String) {
        try? FileManager.default.removeItem(at: file(app))
    }

    private func file(_ app: String) -> URL {
        folder.appending(component: "\(app).json")
    }
}
