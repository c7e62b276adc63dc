public import Health
import Logging
public import Samples
import Scheduling
import Text

/// The record of reads, refusals and decisions, in the order in which they happened.
///
/// Entries are only appended, and each contains the hash of the entry before it. Equal calls within a
/// minute share two entries. The entry of the first call is on disk before this call is answered. The
/// later calls are counted, and when the minute or the host ends, one more entry records their number.
/// Readers of the log see the counts immediately. A crash loses at most the counts of one minute, never
/// the fact that something was read.
///
/// Every allowed call is counted in an entry with its sensor or privilege; the grants of the owner bound the
/// number of such entries. Refused calls can name anything, so the number of their entries is limited.
///
/// When the log exceeds ``budget``, whole days are pruned, the oldest first, and never an entry of the
/// last ``minimumAge``.
///
/// ```swift
/// try await authority.log.record("samples", .raw, for: grant, range: range, count: samples.count)
/// let newest = try await authority.log.entries(AccessLogQuery(client: "curl", limit: 10))
/// ```
public actor AccessLog {
    static let flushInterval = Duration.seconds(1)
    /// The ``budget`` unless the owner chooses another.
    public static let standardBudget: Int64 = 256 << 20
    /// Only the owner can prune entries that are younger than this.
    public static let minimumAge = Duration.seconds(7 * 86_400)
    /// How many different refused calls of a client have entries of their own in a minute; all further ones
    /// are counted together in one entry.
    static let refusalKindsPerClient = 32
    /// How many narrowed tokens of a client are named in a minute; their holders can make any number.
    static let narrowingsPerClient = 32
    private static let budgetInterval = Duration.seconds(3600)
    private static let detailLimit = 400
    private static let nameLimit = 128
    private static let unwrittenLimit = 100_000

    private let store: AccessLogStore
    private let time: any TimeSource
    private let logger: Logger
    private var minute: Int64?
    private var tallies: [Tally.Key: Tally] = [:]
    /// How many different calls of each client were refused in this minute.
    private var refusalKinds: [Caller: Int] = [:]
    /// The narrowed tokens of each client that were named in this minute.
    private var narrowings: [String: Set<String>] = [:]
    /// The maximum number of bytes of the log; exceeded only by entries of the last ``minimumAge``.
    public private(set) var budget: Int64
    /// When the budget was checked last.
    private var budgetChecked: Timestamp?
    /// How many minutes have ended.
    private var ended = 0
    private var unwritten: [Draft] = []
    private var isFailing = false
    /// How many samples each run has read.
    private var samplesRead: [String: Int] = [:]
    private var writing: Task<Void, Never>?

    /// An entry that has no number yet.
    private struct Draft {
        let entry: AccessLogEntry
        /// If it is the entry of the first of equal calls: the key of their tally, and its minute.
        let tally: (key: Tally.Key, minute: Int)?
    }

    private struct Caller: Hashable {
        let name: String?
        let kind: AccessLogEntry.ClientKind?
    }

    init(
        _ store: AccessLogStore, budget: Int64 = AccessLog.standardBudget, time: any TimeSource,
        logger: Logger = Logger(label: "nervous.auth")
    ) {
        self.store = store
        self.budget = budget
        self.time = time
        self.logger = logger
    }

    // MARK: - Writing

    /// Records that samples are read under a grant, before they are returned, or that they were
    /// published.
    ///
    /// - Parameters:
    ///   - range: the time range of the call, if it has one.
    ///   - count: the number of samples.
    /// - Throws: `logUnavailable` when the entry could not be written; the caller must then not return the
    ///   samples. Never thrown for the owner, whose entries wait in memory.
    public func record(
        _ operation: String, _ access: Access, for grant: Grant, range: TimeRange?, count: Int
    ) async throws(AuthError) {
        if access != .write, let run = grant.holder.run { samplesRead[run, default: 0] += count }
        let isWritten = await add(
            AccessLogEntry(
                id: 0, time: time.now(), kind: .access, client: grant.client, privilege: nil,
                sensor: grant.sensor, access: access, operation: operation, range: range, calls: 1,
                count: count, detail: narrowing(of: grant.holder),
                clientKind: grant.holder.logKind))
        guard isWritten || grant.holder.kind == .owner else { throw .logUnavailable }
    }

    /// Records the use of a privilege other than a sensor.
    ///
    /// - Throws: `logUnavailable` when the entry could not be written.
    func record(
        use privilege: PrivilegeID, _ operation: String, by client: Client
    ) async throws(AuthError) {
        let isWritten = await add(
            AccessLogEntry(
                id: 0, time: time.now(), kind: .access, client: client.name,
                privilege: privilege.description, sensor: nil, access: nil, operation: operation,
                range: nil, calls: 1, count: 0, detail: nil, clientKind: client.logKind))
        guard isWritten || client.kind == .owner else { throw .logUnavailable }
    }

    /// Records that health data is read under a grant, before it is returned, or that it was saved or
    /// removed.
    ///
    /// - Parameter counts: how many objects of each type.
    /// - Throws: `logUnavailable` as ``record(_:_:for:range:count:)``.
    public func record(
        _ operation: String, _ access: HealthAccess, for grant: HealthGrant,
        counts: [HealthType: Int]
    ) async throws(AuthError) {
        for (type, count) in counts.sorted(by: { $0.key.description < $1.key.description }) {
            let isWritten = await add(
                AccessLogEntry(
                    id: 0, time: time.now(), kind: .access, client: grant.holder.name,
                    privilege: PrivilegeID.health(type, access).description, sensor: nil,
                    access: nil, operation: operation, range: nil, calls: 1, count: count,
                    detail: nil, clientKind: grant.holder.logKind))
            guard isWritten || grant.holder.kind == .owner else { throw .logUnavailable }
        }
    }

    /// Checks, before anything is read for a client, that the read can be recorded.
    ///
    /// - Throws: `logUnavailable`; never for the owner, who must be able to free space.
    func checkAvailable(for client: Client) throws(AuthError) {
        guard client.kind == .owner || failure == nil else { throw .logUnavailable }
    }

    /// Why apps and programs read nothing now; `nil` while they do.
    public var failure: String? {
        isFailing || !store.writer.isSafe ? AuthError.logUnavailable.message : nil
    }

    /// Records a call to a server under a grant, without path, query and content, which may contain
    /// secrets.
    ///
    /// - Parameters:
    ///   - operation: `fetch` for the response, `fetch-body` for the request's body; `websocket` and
    ///     `websocket-body` for the messages received and sent.
    ///   - detail: the method and the outcome.
    ///   - bytes: the size of the body.
    public func record(
        _ operation: String, for grant: OriginGrant, detail: String, bytes: Int
    ) async {
        await add(
            AccessLogEntry(
                id: 0, time: time.now(), kind: .access, client: grant.client,
                privilege: "net:\(grant.origin)", sensor: nil, access: nil, operation: operation,
                range: nil, calls: 1, count: bytes,
                detail: detail.escapedForDisplay(limit: Self.detailLimit),
                clientKind: grant.holder.logKind))
    }

    /// Records an upload of the owner, before it is sent.
    ///
    /// - Parameters:
    ///   - server: an origin.
    ///   - bytes: the size of the body.
    public func record(sendingTo server: String, bytes: Int) async {
        await add(
            AccessLogEntry(
                id: 0, time: time.now(), kind: .access, client: Client.owner.name,
                privilege: "net:\(server)", sensor: nil, access: nil, operation: "send",
                range: nil, calls: 1, count: bytes, detail: nil,
                clientKind: Client.owner.logKind))
    }

    /// Records an event; when this returns, it is on disk, or waits in memory because writing failed.
    public func note(_ event: AccessLogEvent) async {
        endMinute(unlessIn: time.now())
        unwritten.append(
            Draft(
                entry: AccessLogEntry(
                    id: 0, time: time.now(), kind: event.kind,
                    client: event.client?.escapedForDisplay(limit: Self.nameLimit),
                    privilege: event.privilege?.escapedForDisplay(limit: Self.nameLimit),
                    sensor: nil, access: nil, operation: nil, range: nil, calls: 1,
                    count: event.count,
                    detail: event.detail?.escapedForDisplay(limit: Self.detailLimit),
                    clientKind: event.clientKind),
                tally: nil))
        await flush()
    }

    /// Records a refusal.
    ///
    /// - Parameters:
    ///   - privilege: the missing privilege, if it is not for a sensor.
    ///   - isNotice: whether the token was wrong, not the permission.
    func refuse(
        _ request: AccessRequest?, operation: String, client: Client?,
        privilege: PrivilegeID? = nil, reason: String, isNotice: Bool = false
    ) async {
        let narrowing = client.flatMap { $0.attenuation?.logText }
        let reason = reason + (narrowing.map { " (\($0))" } ?? "")
        await add(
            AccessLogEntry(
                id: 0, time: time.now(), kind: isNotice ? .notice : .refusal,
                client: client?.name.escapedForDisplay(limit: Self.nameLimit),
                privilege: privilege?.description.escapedForDisplay(limit: Self.nameLimit),
                sensor: request?.sensor, access: request?.access, operation: operation, range: nil,
                calls: 1, count: 0, detail: reason.escapedForDisplay(limit: Self.detailLimit),
                clientKind: client?.logKind))
    }

    /// Writes entries until cancelled, then the remaining ones.
    func run() async {
        while (try? await time.sleep(for: Self.flushInterval)) != nil {
            await store.writer.retry()
            endMinute(unlessIn: time.now())
            if !unwritten.isEmpty { await flush() }
            await storeKey()
            await keepBudget()
        }
        await store.writer.retry()
        endMinute(unlessIn: nil)
        await flush()
        await storeKey()
    }

    /// Returns when every entry that was due is on disk, or could not be written.
    func flush() async {
        let before = writing
        // Written in a new task, because the calling one may be cancelled and then could not write.
        let task = Task {
            await before?.value
            await write()
        }
        writing = task
        await task.value
    }

    // MARK: - Reading

    /// How many samples a run has read, also as part of statistics; 0 after its end.
    public func samples(readBy run: String) -> Int { samplesRead[run] ?? 0 }

    func forget(run: String) {
        samplesRead[run] = nil
    }

    /// The entries that match, newest first.
    ///
    /// - Throws: `storeFailed`.
    public func entries(_ query: AccessLogQuery) async throws(AuthError) -> [AccessLogEntry] {
        do {
            while true {
                endMinute(unlessIn: time.now())
                let ended = ended
                await flush()
                let found = try await store.entries(query)
                // Counts may have become entries while the entries were read.
                guard ended == self.ended else { continue }
                let remainders = tallies.values.compactMap { tally in
                    tally.firstID.flatMap { id in tally.rest.map { (id, $0) } }
                }
                let remainderOf = Dictionary(uniqueKeysWithValues: remainders)
                return found.map { line in remainderOf[line.id].map(line.joined(with:)) ?? line }
            }
        } catch {
            throw AuthError(wrapping: error, while: "reading the access log")
        }
    }

    /// The number and the hash, in hexadecimal, of the newest entry; 0 and zeros for an empty log.
    ///
    /// With a copy of the hash, ``AccessLogVerification`` proves later that no earlier entry has
    /// changed.
    ///
    /// - Throws: `storeFailed`.
    public func head() async throws(AuthError) -> (id: Int64, hash: String) {
        await flush()
        do {
            let head = try await store.head()
            return (head.id, head.hash.hexadecimal)
        } catch {
            throw AuthError(wrapping: error, while: "reading the access log")
        }
    }

    /// Verifies the hash chain in the file, like `nervous log --verify`.
    ///
    /// - Parameters:
    ///   - expected: an earlier head, in hexadecimal, which must still be in the chain.
    ///   - onProgress: called every thousand entries with the number verified and the total.
    /// - Throws: `storeFailed`.
    public func verify(
        expecting expected: String? = nil,
        onProgress: @escaping @Sendable (_ verified: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(AuthError) -> AccessLogReport {
        await flush()
        return try await store.verify(expecting: expected, onProgress)
    }

    /// Deletes the oldest entries, up to the first that is not older than `limit`, which stays.
    ///
    /// A new entry records the hash of the last deleted one, so that the chain can still be verified.
    ///
    /// - Returns: how many were deleted.
    /// - Throws: `storeFailed`.
    public func prune(before limit: Timestamp) async throws(AuthError) -> Int {
        await flush()
        do {
            return try await store.prune(before: limit, at: time.now())
        } catch {
            throw AuthError(wrapping: error, while: "pruning the access log")
        }
    }

    /// The bytes that the log takes, with the decisions and tokens in the same file.
    ///
    /// - Throws: `storeFailed`.
    public func size() async throws(AuthError) -> Int64 {
        do {
            return try await store.size()
        } catch {
            throw AuthError(wrapping: error, while: "measuring the access log")
        }
    }

    /// Changes the budget; what exceeds it is pruned within about a second.
    public func keep(budget: Int64) {
        guard budget != self.budget else { return }
        self.budget = budget
        budgetChecked = nil
    }

    /// Prunes whole days, the oldest first, while the log exceeds its budget; at most once an hour.
    func keepBudget() async {
        let now = time.now()
        let next = budgetChecked?.advanced(byMicroseconds: Self.budgetInterval.wholeMicroseconds)
        // A clock that was set back must not stop pruning.
        if let next, let last = budgetChecked, now < next, now >= last { return }
        budgetChecked = now
        let youngest = now.advanced(byMicroseconds: -Self.minimumAge.wholeMicroseconds)
        do {
            while try await store.size() > budget,
                let end = try await store.endOfOldestDay(before: now), end <= youngest,
                try await store.prune(before: end, at: now) > 0
            {}
        } catch is CancellationError {
            // The host stops; the next one prunes.
        } catch {
            logger.error("cannot prune the access log", metadata: ["error": "\(error)"])
        }
    }

    // MARK: - Seal

    /// Whether and since when the log is sealed; `nil` if it is not.
    ///
    /// - Throws: `storeFailed`.
    public func sealStatus() throws(AuthError) -> AccessLogSealStatus? {
        do {
            return try store.seal.status()
        } catch {
            throw AuthError(wrapping: error, while: "reading the seal of the access log")
        }
    }

    /// Seals the log from its next entry on: see [access log](docs/access-log.md#the-seal).
    ///
    /// - Parameter replaces: whether the keys of a sealed log are replaced. The earlier verification key then
    ///   verifies the entries until now.
    /// - Returns: the key with which the owner verifies the log; the host cannot return it again.
    /// - Throws: `wrongSeal` if the log is sealed already, `storeFailed`.
    public func seal(replacing replaces: Bool = false) async throws(AuthError) -> AccessLogKey {
        guard replaces || store.seal.key == nil else {
            throw AuthError(
                .wrongSeal, "The access log is sealed already.",
                hint: "If you have lost its key, seal it anew with: nervous log --seal --replace")
        }
        await flush()
        do {
            let key = try await store.beginSeal(at: time.now())
            try await store.seal.store()
            return key
        } catch {
            throw AuthError(wrapping: error, while: "sealing the access log")
        }
    }

    /// Signs the number and the hash of the newest entry.
    ///
    /// - Throws: `wrongSeal` if the log is not sealed or has no entry, `storeFailed`.
    public func checkpoint() async throws(AuthError) -> LogCheckpoint {
        await flush()
        do {
            let head = try await store.head()
            guard head.id > 0,
                let made = try await store.seal.checkpoint(
                    entry: head.id, hash: head.hash, time: time.now())
            else {
                throw AuthError(
                    .wrongSeal, "The access log is not sealed.",
                    hint: "Seal it with: nervous log --seal")
            }
            await note(.checkpoint(of: head.id, hash: head.hash.hexadecimal))
            return made
        } catch let error as AuthError {
            throw error
        } catch {
            throw AuthError(wrapping: error, while: "signing a checkpoint of the access log")
        }
    }

    /// Records why the log can no longer be sealed as before, if that is so.
    func noteSealFault() async {
        guard let fault = try? await store.sealFault() else { return }
        logger.error("the seal of the access log is broken", metadata: ["reason": "\(fault)"])
        await note(.sealBroken(fault))
    }

    /// Moves the key in the file to that of the next entry, which ``Authority/run()`` does every second.
    public func storeKey() async {
        do {
            try await store.seal.store()
        } catch {
            logger.error("cannot move the key of the access log", metadata: ["error": "\(error)"])
        }
    }

    // MARK: - Private

    /// How the token of a client was narrowed, as the details of an allowed call.
    private func narrowing(of client: Client) -> String? {
        guard let text = client.attenuation?.logText.escapedForDisplay(limit: Self.detailLimit)
        else { return nil }
        endMinute(unlessIn: time.now())
        let isNamed = narrowings[client.name, default: []].contains(text)
        guard isNamed || narrowings[client.name, default: []].count < Self.narrowingsPerClient
        else { return "narrowed, one of more than \(Self.narrowingsPerClient) tokens" }
        narrowings[client.name, default: []].insert(text)
        return text
    }

    /// - Returns: whether an entry for the call is on disk.
    @discardableResult
    private func add(_ entry: AccessLogEntry) async -> Bool {
        endMinute(unlessIn: time.now())
        var entry = entry
        if entry.outcome == .refused, tallies[Tally.Key(entry)] == nil {
            let caller = Caller(name: entry.client, kind: entry.clientKind)
            if refusalKinds[caller, default: 0] >= Self.refusalKindsPerClient {
                entry = entry.withoutDetails
            } else {
                refusalKinds[caller, default: 0] += 1
            }
        }
        let key = Tally.Key(entry)
        if tallies[key] == nil {
            tallies[key] = Tally()
            unwritten.append(Draft(entry: entry, tally: (key, ended)))
        } else {
            tallies[key]?.add(entry)
        }
        // While writing fails, callers do not wait for another attempt.
        if tallies[key]?.firstID == nil, !isFailing { await flush() }
        // Every write contains all entries that wait, so after a successful one this entry is on disk.
        return tallies[key]?.firstID != nil || !isFailing
    }

    /// Turns the counts into entries if the minute that contains `now` is another one, or if `now` is `nil`.
    private func endMinute(unlessIn now: Timestamp?) {
        let current = now.map { $0.microseconds / 60_000_000 }
        guard current == nil || current != minute else { return }
        minute = current
        let remainders = tallies.values.compactMap(\.rest).sorted { $0.time < $1.time }
        unwritten += remainders.map { Draft(entry: $0, tally: nil) }
        tallies = [:]
        refusalKinds = [:]
        narrowings = [:]
        ended += 1
    }

    private func write() async {
        let group = unwritten
        guard !group.isEmpty else { return }
        unwritten = []
        do {
            let ids = try await store.append(group.map(\.entry))
            isFailing = false
            for (draft, id) in zip(group, ids) {
                guard let tally = draft.tally, tally.minute == ended else { continue }
                tallies[tally.key]?.firstID = id
            }
        } catch {
            // Kept for the next attempt, within a bound on memory.
            unwritten = (group + unwritten).suffix(Self.unwrittenLimit)
            if !isFailing {
                logger.error("cannot write the access log", metadata: ["error": "\(error)"])
            }
            isFailing = true
        }
    }
}

/// Equal calls within one minute: the first one has an entry of its own, all later ones are counted.
private struct Tally {
    /// Calls with equal keys are counted in the same tally.
    struct Key: Hashable {
        let kind: AccessLogEntry.Kind
        let client: String?
        let clientKind: AccessLogEntry.ClientKind?
        let privilege: String?
        let sensor: SensorID?
        let access: Access?
        let operation: String?
        let detail: String?

        init(_ entry: AccessLogEntry) {
            kind = entry.kind
            client = entry.client
            clientKind = entry.clientKind
            privilege = entry.privilege
            sensor = entry.sensor
            access = entry.access
            operation = entry.operation
            detail = entry.detail
        }
    }

    /// The number of the first call's entry; `nil` until it is on disk.
    var firstID: Int64?
    /// The calls after the first as one entry; `nil` if there are none.
    private(set) var rest: AccessLogEntry?

    mutating func add(_ entry: AccessLogEntry) {
        rest = rest?.joined(with: entry) ?? entry
    }
}

extension AccessLogEntry {
    /// The entry that counts the refused calls of a client beyond the limit on different ones.
    fileprivate var withoutDetails: AccessLogEntry {
        AccessLogEntry(
            id: id, time: time, kind: kind, client: client, privilege: nil, sensor: nil,
            access: nil, operation: "more", range: nil, calls: calls, count: count,
            detail: "and more, of too many kinds for a line each", clientKind: clientKind)
    }
}
