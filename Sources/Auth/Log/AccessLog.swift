import Logging
public import Samples
import Text

/// Who read which sensor, who was refused, and what was decided, in the order it happened.
///
/// Lines are only ever added, and each is chained to the one before. Calls that are alike share lines:
/// the first within a minute is in the file when it is answered; the rest of that minute are counted
/// and become one more line when the minute or the host ends. Every read of the log sees them at once.
/// A crash loses at most these counts of one minute, never that something was read.
public actor AccessLog {
    static let flushInterval = Duration.seconds(1)
    /// Kinds of calls that a client gets lines for in a minute; what is beyond is counted together.
    static let kindsPerClient = 256
    private static let detailLimit = 400
    private static let nameLimit = 128
    private static let unwrittenLimit = 100_000

    private let database: AuthDatabase
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private var minute: Int64?
    private var tallies: [AccessTally.Key: AccessTally] = [:]
    private var kinds: [String?: Int] = [:]
    /// How many minutes have ended.
    private var ended = 0
    private var unwritten: [Draft] = []
    private var isFailing = false
    /// Samples that each run has been given.
    private var given: [String: Int] = [:]
    private var writing: Task<Void, Never>?

    /// A line that has no place yet.
    private struct Draft {
        let entry: AccessLogEntry
        /// The tally that it is the first line of, and its minute.
        let tally: (key: AccessTally.Key, minute: Int)?
    }

    init(
        _ database: AuthDatabase, now: @escaping @Sendable () -> Timestamp = { .now() },
        logger: Logger
    ) {
        self.database = database
        self.now = now
        self.logger = logger
    }

    // MARK: - Writing

    /// Notes that samples were given out under a grant, to be awaited before they are; or that they
    /// were published.
    public func record(
        _ operation: String, _ access: Access, for grant: Grant, range: TimeRange?, count: Int
    ) async {
        if access != .write, let run = grant.run { given[run, default: 0] += count }
        await add(
            AccessLogEntry(
                id: 0, time: now(), kind: .access, client: grant.client, privilege: nil,
                sensor: grant.sensor, access: access, operation: operation, range: range, calls: 1,
                count: count, detail: nil))
    }

    /// Notes that something other than a sensor was used.
    func record(use privilege: PrivilegeID, _ operation: String, by client: String) async {
        await add(
            AccessLogEntry(
                id: 0, time: now(), kind: .access, client: client,
                privilege: privilege.description, sensor: nil, access: nil, operation: operation,
                range: nil, calls: 1, count: 0, detail: nil))
    }

    /// Notes what went between a client and another server under a grant.
    ///
    /// Neither path nor query nor what was said: they may hold secrets.
    ///
    /// - Parameters:
    ///   - operation: `fetch` for what came back, `fetch-body` for what was sent along.
    ///   - detail: the method and how it ended.
    ///   - bytes: of the body.
    public func record(
        _ operation: String, for grant: OriginGrant, detail: String, bytes: Int
    ) async {
        await add(
            AccessLogEntry(
                id: 0, time: now(), kind: .access, client: grant.client,
                privilege: "net:\(grant.origin)", sensor: nil, access: nil, operation: operation,
                range: nil, calls: 1, count: bytes,
                detail: detail.escapedForDisplay(limit: Self.detailLimit)))
    }

    /// Notes that the owner sends something to a server, to be awaited before it is.
    ///
    /// - Parameter server: an origin.
    public func record(sendingTo server: String, bytes: Int) async {
        await add(
            AccessLogEntry(
                id: 0, time: now(), kind: .access, client: Client.owner.name,
                privilege: "net:\(server)", sensor: nil, access: nil, operation: "send",
                range: nil, calls: 1, count: bytes, detail: nil))
    }

    /// Notes an event; it is in the file when this returns.
    public func note(_ event: AccessLogEvent) async {
        endMinute(unlessIn: now())
        unwritten.append(
            Draft(
                entry: AccessLogEntry(
                    id: 0, time: now(), kind: event.kind,
                    client: event.client?.escapedForDisplay(limit: Self.nameLimit),
                    privilege: event.privilege?.escapedForDisplay(limit: Self.nameLimit),
                    sensor: nil, access: nil, operation: nil, range: nil, calls: 1, count: 0,
                    detail: event.detail?.escapedForDisplay(limit: Self.detailLimit)),
                tally: nil))
        await flush()
    }

    /// - Parameters:
    ///   - privilege: what was missing, where it is not of a sensor.
    ///   - isNotice: whether the token was wrong, and not what it was used for.
    func refuse(
        _ request: AccessRequest?, operation: String, client: String?,
        privilege: PrivilegeID? = nil, reason: String, isNotice: Bool = false
    ) async {
        await add(
            AccessLogEntry(
                id: 0, time: now(), kind: isNotice ? .notice : .refusal,
                client: client?.escapedForDisplay(limit: Self.nameLimit),
                privilege: privilege?.description.escapedForDisplay(limit: Self.nameLimit),
                sensor: request?.sensor, access: request?.access, operation: operation, range: nil,
                calls: 1, count: 0, detail: reason.escapedForDisplay(limit: Self.detailLimit)))
    }

    /// Writes what is due until cancelled, and then all that is left.
    func run() async {
        while (try? await Task.sleep(for: Self.flushInterval)) != nil {
            endMinute(unlessIn: now())
            if !unwritten.isEmpty { await flush() }
        }
        endMinute(unlessIn: nil)
        await flush()
    }

    /// Returns when every line that was due before is in the file, or could not be written.
    func flush() async {
        let before = writing
        // In a task of its own: one that was cancelled cannot write.
        let task = Task {
            await before?.value
            await write()
        }
        writing = task
        await task.value
    }

    // MARK: - Reading

    /// Samples that a run was given, or that went into statistics for it; 0 once it is forgotten.
    public func samples(givenTo run: String) -> Int { given[run] ?? 0 }

    func forget(run: String) {
        given[run] = nil
    }

    /// The lines that match, newest first.
    public func entries(_ query: AccessLogQuery) async throws(AuthError) -> [AccessLogEntry] {
        do {
            while true {
                endMinute(unlessIn: now())
                let ended = ended
                await flush()
                let found = try await database.logEntries(query)
                // What was counted may have become lines while these were read.
                guard ended == self.ended else { continue }
                let rests = tallies.values.compactMap { tally in
                    tally.firstID.flatMap { id in tally.rest.map { (id, $0) } }
                }
                let restOf = Dictionary(uniqueKeysWithValues: rests)
                return found.map { line in restOf[line.id].map(line.joined(with:)) ?? line }
            }
        } catch {
            throw AuthError(wrapping: error, while: "reading the access log")
        }
    }

    /// The newest line's place and its hash in hexadecimal, which prove later that nothing before was
    /// changed; 0 and zeros while there is none.
    public func head() async throws(AuthError) -> (id: Int64, hash: String) {
        await flush()
        do {
            let head = try await database.logHead()
            return (head.id, head.hash.hexadecimal)
        } catch {
            throw AuthError(wrapping: error, while: "reading the access log")
        }
    }

    /// Cuts off the oldest lines, up to the first that is not older than `time`; a line that takes
    /// their place keeps the chain whole.
    ///
    /// - Returns: how many were cut off.
    public func prune(before time: Timestamp) async throws(AuthError) -> Int {
        await flush()
        do {
            return try await database.pruneLog(before: time, at: now())
        } catch {
            throw AuthError(wrapping: error, while: "cutting the access log")
        }
    }

    // MARK: - Private

    private func add(_ entry: AccessLogEntry) async {
        endMinute(unlessIn: now())
        var entry = entry
        if tallies[AccessTally.Key(entry)] == nil,
            kinds[entry.client, default: 0] >= Self.kindsPerClient
        {
            entry = entry.amongMore
        }
        let key = AccessTally.Key(entry)
        if tallies[key] == nil {
            kinds[entry.client, default: 0] += 1
            tallies[key] = AccessTally()
            unwritten.append(Draft(entry: entry, tally: (key, ended)))
        } else {
            tallies[key]?.add(entry)
        }
        // While nothing can be written, callers do not wait for it to fail again.
        if tallies[key]?.firstID == nil, !isFailing { await flush() }
    }

    /// Turns what was counted into lines when the minute is over.
    private func endMinute(unlessIn time: Timestamp?) {
        let current = time.map { $0.microseconds / 60_000_000 }
        guard current == nil || current != minute else { return }
        minute = current
        let rests = tallies.values.compactMap(\.rest).sorted { $0.time < $1.time }
        unwritten += rests.map { Draft(entry: $0, tally: nil) }
        tallies = [:]
        kinds = [:]
        ended += 1
    }

    private func write() async {
        let group = unwritten
        guard !group.isEmpty else { return }
        unwritten = []
        do {
            let ids = try await database.append(group.map(\.entry))
            isFailing = false
            for (draft, id) in zip(group, ids) {
                guard let tally = draft.tally, tally.minute == ended else { continue }
                tallies[tally.key]?.firstID = id
            }
        } catch {
            // Kept for the next try, up to a bound: what cannot be logged must not fill the memory.
            unwritten = (group + unwritten).suffix(Self.unwrittenLimit)
            if !isFailing { logger.error("The access log could not be written: \(error)") }
            isFailing = true
        }
    }
}

extension AccessLogEntry {
    /// The same call without what tells it from others of its client.
    fileprivate var amongMore: AccessLogEntry {
        AccessLogEntry(
            id: id, time: time, kind: kind, client: client, privilege: nil, sensor: nil,
            access: nil,
            operation: "more", range: nil, calls: calls, count: count,
            detail: "and more, of too many kinds for a line each")
    }
}
