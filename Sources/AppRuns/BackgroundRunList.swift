import Files
import Foundation

/// The background runs that the owner started and did not stop, in a file, so that the next host resumes
/// them when it starts.
///
/// Every call blocks briefly.
struct BackgroundRunList {
    /// A background run.
    struct Entry: Hashable, Codable {
        /// The run's identifier on the host that started it; the next host resumes it as a run with
        /// another identifier.
        let run: String
        /// The app's name.
        let app: String
        /// The identity of the app: another one of that name is not resumed.
        let identity: String
    }

    private struct Content: Codable {
        let version: Int
        let runs: [Entry]
    }

    private static let version = 1

    private let folder: URL
    private(set) var entries: [Entry] = []

    /// Reads the file in a folder; one that is missing or damaged lists nothing.
    init(folder: URL) {
        self.folder = folder
        guard let data = try? Data(contentsOf: file),
            let content = try? JSONDecoder().decode(Content.self, from: data),
            content.version == Self.version
        else { return }
        entries = content.runs
    }

    /// Adds a run; when this returns, the file survives a power cut.
    ///
    /// - Throws: `io` when it cannot be written; the run is listed until the host ends.
    mutating func add(_ entry: Entry) throws(AppRunsError) {
        entries.append(entry)
        try write()
    }

    /// Removes a run, if it is listed.
    ///
    /// - Throws: `io` when the file cannot be written: a later host would resume the run.
    mutating func remove(_ run: String) throws(AppRunsError) {
        guard entries.contains(where: { $0.run == run }) else { return }
        entries.removeAll { $0.run == run }
        try write()
    }

    /// Removes the runs of an app.
    ///
    /// - Throws: as ``remove(_:)``.
    mutating func remove(app: String) throws(AppRunsError) {
        guard entries.contains(where: { $0.app == app }) else { return }
        entries.removeAll { $0.app == app }
        try write()
    }

    /// The dot in `background.runs` keeps it apart from the file of an app's last run, `NAME.json`: names of
    /// apps have no dot.
    private var file: URL { folder.appending(component: "background.runs.json") }

    private func write() throws(AppRunsError) {
        do {
            try PrivateFolder.make(folder.path(percentEncoded: false))
            let bytes = try JSONEncoder().encode(Content(version: Self.version, runs: entries))
            try DurableFile.replace(file.path(percentEncoded: false), with: Array(bytes))
        } catch {
            throw AppRunsError(
                .io, "The list of background runs could not be written.", cause: error)
        }
    }
}
