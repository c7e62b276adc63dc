import Auth
import Foundation
import Samples

/// The runs of a supervisor: their reports, their latest events, and the tokens of active runs.
struct RunRegistry {
    /// The token and the identity with which a run is started.
    struct Authorization {
        let token: Token
        /// The identity of the app that the run was prepared for.
        let identity: String
    }

    private struct Entry {
        var report: RunReport
        var events = RecentEvents()
        /// The first uncaught error of the current process, with its location.
        var error: String?
        /// `nil` when the run has ended.
        var authorization: Authorization?
    }

    /// The maximum number of remembered runs that are not active.
    private static let limit = 200
    /// How long a run may stay prepared.
    private static let preparationLimit = TimeInterval(600)

    /// Counts changes of the set of runs and of their states.
    private(set) var version = 0
    private var entries: [String: Entry] = [:]
    /// The identifiers, oldest first.
    private var order: [String] = []

    /// The identifiers, newest first.
    var newestFirst: [String] { order.reversed() }

    /// All reports, in no order.
    var reports: [RunReport] { entries.values.map(\.report) }

    func report(_ id: String) -> RunReport? { entries[id]?.report }

    func events(of id: String) -> [TimedRunEvent] { entries[id]?.events.events ?? [] }

    func authorization(of id: String) -> Authorization? { entries[id]?.authorization }

    /// Adds a run, and forgets the oldest ended one if there are too many.
    mutating func add(_ report: RunReport, _ authorization: Authorization) {
        entries[report.id] = Entry(report: report, authorization: authorization)
        order.append(report.id)
        version += 1
        guard order.count > Self.limit,
            let index = order.firstIndex(where: { entries[$0]?.report.state == .ended })
        else { return }
        entries[order.remove(at: index)] = nil
    }

    mutating func update(_ id: String, _ change: (inout RunReport) -> Void) {
        guard var entry = entries[id] else { return }
        let before = entry.report
        change(&entry.report)
        let after = entry.report
        if (before.state, before.restarts, before.hasGivenUp)
            != (after.state, after.restarts, after.hasGivenUp)
        {
            version += 1
        }
        entries[id] = entry
    }

    mutating func note(_ event: RunEvent, at time: Timestamp, of id: String) {
        switch event {
        case .started(let layers): update(id) { $0.layers = layers }
        case .uncaught(let message, let location, _):
            let text = [location, message].compactMap { $0 }.joined(separator: ": ")
            if entries[id]?.error == nil { entries[id]?.error = text }
        // Views are for the terminal that watches the run, and too large to be kept.
        case .view, .markup: return
        default: break
        }
        entries[id]?.events.add(event, at: time)
    }

    /// Notes that a process of a run begins.
    mutating func beginProcess(of id: String) {
        update(id) { $0.state = .running }
        entries[id]?.error = nil
    }

    /// Notes how a process of a run ended.
    mutating func noteEnding(_ outcome: RunOutcome, of id: String) {
        let error = entries[id]?.error
        update(id) { $0.ending = RunEnding(outcome, error: error) }
    }

    /// Marks a run as ended and drops its token.
    ///
    /// - Returns: its final report; `nil` for an unknown run.
    mutating func finish(_ id: String, _ outcome: RunOutcome, at date: Date) -> RunReport? {
        noteEnding(outcome, of: id)
        update(id) { report in
            report.state = .ended
            report.ended = date
        }
        entries[id]?.authorization = nil
        return entries[id]?.report
    }

    mutating func forget(_ id: String) {
        entries[id] = nil
        order.removeAll { $0 == id }
        version += 1
    }

    /// Forgets the runs that have been prepared for too long.
    ///
    /// - Parameter isStarting: whether a run is being started now.
    /// - Returns: their identifiers.
    mutating func forgetUnstarted(at date: Date, isStarting: (String) -> Bool) -> [String] {
        let stale = reports.filter { report in
            report.state == .prepared && !isStarting(report.id)
                && date.timeIntervalSince(report.started) > Self.preparationLimit
        }.map(\.id)
        for id in stale { forget(id) }
        return stale
    }
}
