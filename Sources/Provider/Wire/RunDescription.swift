public import AppRuns
import Foundation

/// A run of an app as the API tells of it.
public struct RunDescription: Codable, Sendable {
    /// How a run ended.
    public struct Ending: Codable, Sendable {
        /// A stable word, such as `finished` or `sandbox-violation`.
        public let name: String
        /// That of `nervous run`.
        public let exitCode: Int32
        /// What more is known; the app's own words, so escape it.
        public let detail: String?
    }

    /// What a run has used.
    public struct Usage: Codable, Sendable {
        /// Milliseconds of processor time.
        public let cpu: Double
        /// The most bytes that were resident at once; those that are now, while it runs.
        public let memory: Int
        public let calls: Int
        public let samples: Int
        /// UTF-8 bytes on the console.
        public let logged: Int
    }

    public let run: String
    public let app: String
    /// `prepared`, `running`, `waiting` or `ended`.
    public let state: String
    public let background: Bool
    /// Milliseconds since 1970.
    public let started: Double
    public let ended: Double?
    public let ending: Ending?
    public let restarts: Int
    /// Whether it failed too often in the background and was left alone.
    public let gaveUp: Bool
    public let usage: Usage
    /// What confines it; empty where nothing does.
    public let layers: [String]?
    /// The newest lines of its console, where they were asked for.
    public let console: [RunEventItem]?

    /// - Parameter console: the newest lines of its console, where they are wanted.
    public init(_ report: RunReport, console: [RunEventItem]? = nil) {
        run = report.id
        app = report.app
        state = report.state.rawValue
        background = !report.isWatched
        started = Self.milliseconds(report.started)
        ended = report.ended.map(Self.milliseconds)
        ending = report.ending.map {
            Ending(name: $0.name, exitCode: $0.exitCode, detail: $0.detail)
        }
        restarts = report.restarts
        gaveUp = report.hasGivenUp
        usage = Usage(
            cpu: Double(report.usage.cpu / .microseconds(1)) / 1000, memory: report.usage.memory,
            calls: report.usage.calls, samples: report.usage.samples, logged: report.usage.logged)
        layers = report.layers
        self.console = console
    }

    private static func milliseconds(_ date: Date) -> Double {
        (date.timeIntervalSince1970 * 1000).rounded()
    }
}
