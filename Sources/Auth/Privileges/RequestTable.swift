import Samples

/// What apps want and nobody has answered, each thing once for a run; bounded, since apps ask.
struct RequestTable {
    /// The most that one app may have open.
    static let appLimit = 16
    /// The most of all apps.
    private static let limit = 256
    /// The most calls of one app that wait at once: a browser has six connections to a host.
    static let waitingLimit = 4
    /// How long something stays open that is not asked for again.
    private static let lifetime = Duration.seconds(3600)

    struct Key: Hashable {
        let client: Client
        let privilege: PrivilegeID
    }

    private struct Entry {
        let asked: Timestamp
        var last: Timestamp
        /// Whether calls have waited for an answer in vain, and do so no more.
        var isOverdue = false
        var waiting: [AsyncStream<Void>.Continuation] = []
    }

    private var entries: [Key: Entry] = [:]
    private var watchers: [String: AsyncStream<PendingRequest>.Continuation] = [:]

    /// Opens a request or finds the one that is open.
    ///
    /// - Parameter isUrgent: whether it is put to the person even when nobody answered before.
    /// - Returns: what ends when there is an answer; `nil` where waiting is no use.
    mutating func wait(
        for key: Key, isUrgent: Bool, at now: Timestamp
    ) -> AsyncStream<Void>? {
        prune(at: now)
        let mine = entries.filter { $0.key.client.name == key.client.name }
        let isNew = entries[key] == nil
        guard !isNew || mine.count < Self.appLimit && entries.count < Self.limit else { return nil }
        var entry = entries[key] ?? Entry(asked: now, last: now)
        entry.last = now
        if isUrgent { entry.isOverdue = false }
        let waiting = mine.values.reduce(0) { $0 + $1.waiting.count }
        guard !entry.isOverdue, waiting < Self.waitingLimit else {
            entries[key] = entry
            return nil
        }
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        entry.waiting.append(answer)
        let isFirst = entry.waiting.count == 1
        entries[key] = entry
        if isFirst, let run = key.client.run { watchers[run]?.yield(Self.request(key, entry)) }
        return answers
    }

    /// Lets go of those who wait; the request stays open for a later answer.
    mutating func giveUp(_ key: Key) {
        entries[key]?.isOverdue = true
        entries[key]?.waiting.forEach { $0.finish() }
        entries[key]?.waiting = []
    }

    /// Ends requests: they are answered, or who asked is gone.
    mutating func drop(where isDropped: (Key) -> Bool) {
        for (key, entry) in entries where isDropped(key) {
            entry.waiting.forEach { $0.finish() }
            entries[key] = nil
        }
    }

    /// What is open, the oldest first.
    mutating func all(at now: Timestamp) -> [PendingRequest] {
        prune(at: now)
        return entries.map { Self.request($0.key, $0.value) }
            .sorted { ($0.asked, $0.privilege.description) < ($1.asked, $1.privilege.description) }
    }

    /// The keys of what is open for a client.
    func keys(of client: String, _ privilege: PrivilegeID) -> [Key] {
        entries.keys.filter { $0.client.name == client && $0.privilege == privilege }
    }

    /// Each request of a run as it is made; a second one who watches takes the place of the first.
    mutating func watch(_ run: String) -> AsyncStream<PendingRequest> {
        let (stream, watcher) = AsyncStream.makeStream(
            of: PendingRequest.self, bufferingPolicy: .bufferingOldest(Self.appLimit))
        watchers[run]?.finish()
        watchers[run] = watcher
        for (key, entry) in entries where key.client.run == run {
            watcher.yield(Self.request(key, entry))
        }
        return stream
    }

    mutating func unwatch(_ run: String) {
        watchers.removeValue(forKey: run)?.finish()
    }

    private mutating func prune(at now: Timestamp) {
        let oldest = now.advanced(byMicroseconds: -Self.lifetime.wholeMicroseconds)
        entries = entries.filter { $0.value.last > oldest || !$0.value.waiting.isEmpty }
    }

    private static func request(_ key: Key, _ entry: Entry) -> PendingRequest {
        PendingRequest(
            app: key.client.name, privilege: key.privilege, run: key.client.run,
            asked: entry.asked, waiting: entry.waiting.count)
    }
}
