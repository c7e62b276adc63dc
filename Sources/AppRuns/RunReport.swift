import Files
public import Foundation

/// The state of a run, during it and afterwards.
public struct RunReport: Hashable, Sendable, Codable {
    /// The state of a run.
    public enum State: String, Hashable, Sendable, Codable {
        /// It has no process yet; decisions for it can be made.
        case prepared
        /// Its process runs.
        case running
        /// It failed and will be restarted.
        case waiting
        /// It has ended.
        case ended
    }

    /// The run's identifier.
    public let id: String
    /// The app's name.
    public let app: String
    /// Whether it is a foreground run.
    public let isForeground: Bool
    /// The current state.
    public internal(set) var state = State.prepared
    /// When it was prepared.
    public let started: Date
    /// When it ended.
    public internal(set) var ended: Date?
    /// How the run ended, or how its last process ended if the run continues.
    public internal(set) var ending: RunEnding?
    /// How often its process was restarted.
    public internal(set) var restarts = 0
    /// Whether it failed too often to be restarted again.
    public internal(set) var hasGivenUp = false
    /// The resources that it has used.
    public internal(set) var usage = RunUsage()
    /// The layers that confine it; empty without confinement, `nil` before the start.
    public internal(set) var layers: [String]?

    private enum CodingKeys: String, CodingKey {
        case id, app
        /// The name in the files of the history.
        case isForeground = "isWatched"
        case state, started, ended, ending, restarts, hasGivenUp, usage, layers
    }

    init(id: String, app: String, isForeground: Bool, started: Date) {
        self.id = id
        self.app = app
        self.isForeground = isForeground
        self.started = started
    }
}

/// The resources that a run has used.
public struct RunUsage: Hashable, Sendable, Codable {
    /// Processor time of the runner's process.
    public var cpu = Duration.zero
    /// The peak of resident bytes, including those shared with other runners; in a report during the run,
    /// the current number.
    public var memory = 0
    /// Calls to the host.
    public var calls = 0
    /// Samples that the app received, or that statistics for it were computed from.
    public var samples = 0
    /// UTF-8 bytes on the console.
    public var logged = 0

    /// Nothing used.
    public init() {}

    /// Adds the usage of another process of the same run.
    mutating func add(_ other: RunUsage) {
        cpu += other.cpu
        memory = max(memory, other.memory)
        calls += other.calls
        samples += other.samples
        logged += other.logged
    }
}

/// The last runs of each app, in one file for each app; every call blocks briefly.
struct RunHistory {
    private static let kept = 20

    /// The folder of the files.
    let folder: URL

    /// The ended runs of an app, newest first; empty if the file cannot be read.
    func runs(of app: String) -> [RunReport] {
        guard let data = try? Data(contentsOf: file(app)) else { return [] }
        return (try? JSONDecoder().decode([RunReport].self, from: data)) ?? []
    }

    /// Adds an ended run.
    func add(_ run: RunReport) throws(AppRunsError) {
        let list = Array(([run] + runs(of: run.app)).prefix(Self.kept))
        do {
            try PrivateFolder.make(folder.path(percentEncoded: false))
            // Not synced to the disk: many runs may end at once, and losing a record is harmless.
            try JSONEncoder().encode(list).write(to: file(run.app), options: .atomic)
        } catch {
            throw AppRunsError(.io, "The run of \(run.app) could not be recorded.", cause: error)
        }
    }

    func forget(_ app: String) {
        try? FileManager.default.removeItem(at: file(app))
    }

    private func file(_ app: String) -> URL {
        folder.appending(component: "\(app).json")
    }
}
