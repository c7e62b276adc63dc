import GRDB
import Logging
public import Samples

/// Who read which sensor and who was refused, in the order it happened.
///
/// Lines are written in groups; a line is in the file within `flushInterval`, and every read of the
/// log sees it at once.
public actor AccessLog {
    static let flushInterval = Duration.milliseconds(250)
    private static let groupLimit = 512
    private static let pendingLimit = 100_000

    private let database: AuthDatabase
    private let logger: Logger
    private var pending: [Int64: AccessLogEntry] = [:]
    /// The line of each stream in the current minute, which further samples are added to.
    private var streams: [StreamKey: AccessLogEntry] = [:]
    private var nextID: Int64
    private var writing: Task<Void, Never>?

    private struct StreamKey: Hashable {
        let client: String
        let sensor: SensorID
    }

    init(_ database: AuthDatabase, logger: Logger) async throws {
        self.database = database
        self.logger = logger
        nextID = try await database.lastLogID() + 1
    }

    /// Notes that samples were given out under a grant.
    public func record(
        _ operation: String, _ access: Access, for grant: Grant, range: TimeRange?, count: Int
    ) async {
        note(
            client: grant.client, sensor: grant.sensor, access: access, operation: operation,
            range: range, count: count, outcome: .allowed, reason: nil)
        await flushWhenMany()
    }

    /// Notes that live samples were given out: one line a client, a sensor and a minute.
    public func recordStream(for grant: Grant, count: Int) async {
        let key = StreamKey(client: grant.client, sensor: grant.sensor)
        let now = Timestamp.now()
        if let line = streams[key], line.minute == now.minute {
            let longer = line.adding(count)
            streams[key] = longer
            pending[longer.id] = longer
            return
        }
        streams = streams.filter { $0.value.minute == now.minute }
        streams[key] = note(
            client: grant.client, sensor: grant.sensor, access: .raw, operation: "stream",
            range: nil, count: count, outcome: .allowed, reason: nil)
        await flushWhenMany()
    }

    func refuse(_ request: AccessRequest?, operation: String, client: String?, reason: String) async
    {
        note(
            client: client, sensor: request?.sensor, access: request?.access, operation: operation,
            range: nil, count: 0, outcome: .refused, reason: reason)
        await flushWhenMany()
    }

    /// The lines that match, newest first.
    public func entries(_ query: AccessLogQuery) async throws(AuthError) -> [AccessLogEntry] {
        await flush()
        do {
            return try await database.logEntries(query)
        } catch {
            throw AuthError(wrapping: error, while: "reading the access log")
        }
    }

    /// Writes lines in groups until cancelled.
    func run() async {
        while (try? await Task.sleep(for: Self.flushInterval)) != nil { await flush() }
        // In a task of its own: the one that was cancelled cannot write.
        await Task { await flush() }.value
    }

    /// Returns when everything that was noted before is in the file.
    func flush() async {
        let before = writing
        let task = Task {
            await before?.value
            await writePending()
        }
        writing = task
        await task.value
    }

    private func writePending() async {
        let group = pending.values.sorted { $0.id < $1.id }
        guard !group.isEmpty else { return }
        pending = [:]
        do {
            try await database.append(group)
        } catch {
            // Kept for the next try, up to a bound: what cannot be logged must not fill the memory.
            let kept = group.suffix(Self.pendingLimit).map { ($0.id, $0) }
            pending.merge(kept) { newer, _ in newer }
            logger.error("The access log could not be written: \(error)")
        }
    }

    @discardableResult
    private func note(
        client: String?, sensor: SensorID?, access: Access?, operation: String, range: TimeRange?,
        count: Int, outcome: AccessLogEntry.Outcome, reason: String?
    ) -> AccessLogEntry {
        let line = AccessLogEntry(
            id: nextID, time: .now(), client: client, sensor: sensor, access: access,
            operation: operation, range: range, count: count, outcome: outcome, reason: reason)
        pending[nextID] = line
        nextID += 1
        return line
    }

    private func flushWhenMany() async {
        if pending.count.isMultiple(of: Self.groupLimit) { await flush() }
    }
}

extension Timestamp {
    /// Whole minutes since 1970.
    fileprivate var minute: Int64 { microseconds / 60_000_000 }
}

extension AccessLogEntry {
    fileprivate var minute: Int64 { time.minute }

    fileprivate func adding(_ samples: Int) -> AccessLogEntry {
        AccessLogEntry(
            id: id, time: time, client: client, sensor: sensor, access: access,
            operation: operation, range: range, count: count + samples, outcome: outcome,
            reason: reason)
    }
}
