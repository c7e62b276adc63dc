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

    private let database: AuthDatabase
    private let logger: Logger
    private var pending: [AccessLogEntry] = []
    private var nextID: Int64
    private var writing: Task<Void, Never>?

    init(_ database: AuthDatabase, logger: Logger) async throws {
        self.database = database
        self.logger = logger
        nextID = try await database.lastLogID() + 1
    }

    /// Notes that samples were given out under a grant.
    public func record(
        _ operation: String, _ access: Access, for grant: Grant, range: TimeRange?, count: Int
    ) async {
        await record(
            client: grant.client, sensor: grant.sensor, access: access, operation: operation,
            range: range, count: count, outcome: .allowed, reason: nil)
    }

    func refuse(_ request: AccessRequest?, operation: String, client: String?, reason: String) async
    {
        await record(
            client: client, sensor: request?.sensor, access: request?.access, operation: operation,
            range: nil, count: 0, outcome: .refused, reason: reason)
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
        let group = pending
        guard !group.isEmpty else { return }
        pending = []
        do {
            try await database.append(group)
        } catch {
            // Kept for the next try, up to a bound: what cannot be logged must not fill the memory.
            pending.insert(contentsOf: group.suffix(100_000), at: 0)
            logger.error("The access log could not be written: \(error)")
        }
    }

    private func record(
        client: String?, sensor: SensorID?, access: Access?, operation: String, range: TimeRange?,
        count: Int, outcome: AccessLogEntry.Outcome, reason: String?
    ) async {
        pending.append(
            AccessLogEntry(
                id: nextID, time: .now(), client: client, sensor: sensor, access: access,
                operation: operation, range: range, count: count, outcome: outcome, reason: reason))
        nextID += 1
        if pending.count.isMultiple(of: Self.groupLimit) { await flush() }
    }
}
