public import Samples
import Scheduling

/// A privilege that an app has asked for and that waits for the owner's decision.
public struct PendingRequest: Hashable, Sendable {
    /// The app's name.
    public let app: String
    /// The privilege that it asks for.
    public let privilege: PrivilegeID
    /// The run or the open page that asks.
    public let run: String?
    /// When it first asked.
    public let asked: Timestamp
    /// How many calls wait for the decision.
    public let waiting: Int
}

/// The requests of apps that wait for the owner: one for each privilege and run, bounded in number.
///
/// Owned by `Authority`; its functions run on that actor.
final class RequestTable {
    /// The maximum number of open requests of one app.
    static let appLimit = 16
    /// The maximum number of open requests of all apps together.
    private static let limit = 256
    /// The maximum number of waiting calls of one app: a browser has six connections to a host.
    static let waitingLimit = 4
    /// For how long a request stays open when it is not repeated.
    private static let lifetime = Duration.seconds(3600)

    private struct Key: Hashable {
        let client: Client
        let privilege: PrivilegeID
    }

    private struct Entry {
        let asked: Timestamp
        var last: Timestamp
        /// Whether a wait has timed out, so that further calls do not wait.
        var isOverdue = false
        var waiting: [Int: AsyncStream<PermissionState>.Continuation] = [:]
    }

    /// How long a call waits for the decision.
    private let timeLimit: Duration
    private let time: any TimeSource
    private let changes: ChangeSignal
    private var entries: [Key: Entry] = [:] {
        didSet { changes.send() }
    }
    private var lastWait = 0
    private var watchers: [String: AsyncStream<PendingRequest>.Continuation] = [:]

    /// - Parameter changes: reports that requests were opened, closed, joined or left.
    init(timeLimit: Duration, time: any TimeSource, changes: ChangeSignal) {
        self.changes = changes
        self.timeLimit = timeLimit
        self.time = time
    }

    /// Opens a request, or joins the open one, and waits until it is closed or the time is up.
    ///
    /// It returns immediately if too many requests are open, too many calls wait, or an earlier call
    /// has timed out.
    ///
    /// - Parameter isUrgent: whether it waits although an earlier call has timed out.
    /// - Returns: the state that the owner's decision led to, even if it has ended since; `nil` without a
    ///   decision.
    @discardableResult
    nonisolated(nonsending) func wait(
        for privilege: PrivilegeID, _ client: Client, isUrgent: Bool = false
    ) async -> PermissionState? {
        let key = Key(client: client, privilege: privilege)
        guard let (number, answers) = open(key, isUrgent: isUrgent) else { return nil }
        let end = await end(of: answers)
        if Task.isCancelled {
            // The client has left, and may come back for the answer.
            entries[key]?.waiting[number] = nil
        } else if end == .timedOut {
            expire(key)
        }
        if case .closed(let answer) = end { return answer }
        return nil
    }

    /// Opens a request that no call waits for, unless it is open.
    ///
    /// - Returns: whether it is open; `false` if too many are.
    func open(_ privilege: PrivilegeID, _ client: Client) -> Bool {
        prune()
        let key = Key(client: client, privilege: privilege)
        let now = time.now()
        if entries[key] != nil {
            entries[key]?.last = now
            return true
        }
        guard hasRoom(for: client) else { return false }
        let entry = Entry(asked: now, last: now, isOverdue: true)
        entries[key] = entry
        if let run = client.run { watchers[run]?.yield(Self.request(key, entry)) }
        return true
    }

    /// Resumes the waiting calls without a decision; the requests stay open.
    ///
    /// - Returns: whether there was such a request.
    func dismiss(_ privilege: PrivilegeID, of client: String) -> Bool {
        let keys = entries.keys.filter { $0.client.name == client && $0.privilege == privilege }
        for key in keys { expire(key) }
        return !keys.isEmpty
    }

    /// Closes the requests that are decided.
    ///
    /// - Parameter state: the state after the decision; `nil` for a request that is still open.
    private func answer(_ state: (Client, PrivilegeID) -> PermissionState?) {
        for (key, entry) in entries {
            guard let state = state(key.client, key.privilege) else { continue }
            entry.waiting.values.forEach { $0.yield(state) }
            close(key)
        }
    }

    /// Closes the requests for which the owner is not asked any more.
    func answer(from permissions: Permissions) {
        answer { client, privilege in
            permissions.canAsk(for: privilege, client)
                ? nil : permissions.state(of: privilege, for: client)
        }
    }

    /// Whether the owner is already asked for a privilege.
    func isOpen(_ privilege: PrivilegeID, _ client: Client) -> Bool {
        entries[Key(client: client, privilege: privilege)] != nil
    }

    /// Closes the requests of clients that were removed.
    func close(where isClosed: (Client) -> Bool) {
        for key in entries.keys where isClosed(key.client) { close(key) }
    }

    /// The open requests, oldest first.
    func all() -> [PendingRequest] {
        prune()
        return entries.map { Self.request($0.key, $0.value) }
            .sorted { ($0.asked, $0.privilege.description) < ($1.asked, $1.privilege.description) }
    }

    /// The open requests of a run and each new one; ends an earlier stream of the run.
    func watch(_ run: String) -> AsyncStream<PendingRequest> {
        let (stream, watcher) = AsyncStream.makeStream(
            of: PendingRequest.self, bufferingPolicy: .bufferingOldest(Self.appLimit))
        watchers[run]?.finish()
        watchers[run] = watcher
        for (key, entry) in entries where key.client.run == run {
            watcher.yield(Self.request(key, entry))
        }
        return stream
    }

    func unwatch(_ run: String) {
        watchers.removeValue(forKey: run)?.finish()
    }

    // MARK: - Private

    /// - Returns: the number of the wait, and a stream that ends with the request; `nil` when the call shall
    ///   not wait.
    private func open(
        _ key: Key, isUrgent: Bool
    ) -> (number: Int, answers: AsyncStream<PermissionState>)? {
        prune()
        let now = time.now()
        guard entries[key] != nil || hasRoom(for: key.client) else { return nil }
        let mine = entries.filter { $0.key.client.name == key.client.name }
        var entry = entries[key] ?? Entry(asked: now, last: now)
        entry.last = now
        if isUrgent { entry.isOverdue = false }
        let waiting = mine.values.reduce(0) { $0 + $1.waiting.count }
        guard !entry.isOverdue, waiting < Self.waitingLimit else {
            entries[key] = entry
            return nil
        }
        let (answers, answer) = AsyncStream.makeStream(of: PermissionState.self)
        lastWait += 1
        entry.waiting[lastWait] = answer
        entries[key] = entry
        if entry.waiting.count == 1, let run = key.client.run {
            watchers[run]?.yield(Self.request(key, entry))
        }
        return (lastWait, answers)
    }

    /// Whether a client may open one more request.
    private func hasRoom(for client: Client) -> Bool {
        entries.count < Self.limit
            && entries.count { $0.key.client.name == client.name } < Self.appLimit
    }

    /// How a wait ends.
    private enum End: Hashable {
        /// With the request; `nil` if the owner has not decided.
        case closed(PermissionState?)
        case timedOut
    }

    nonisolated(nonsending) private func end(
        of answers: AsyncStream<PermissionState>
    ) async -> End {
        guard timeLimit > .zero else { return .timedOut }
        return await withTaskGroup(of: End.self) { [timeLimit, time] group in
            group.addTask {
                var last: PermissionState?
                for await answer in answers { last = answer }
                return .closed(last)
            }
            group.addTask {
                try? await time.sleep(for: timeLimit)
                return .timedOut
            }
            let first = await group.next() ?? .timedOut
            group.cancelAll()
            return first
        }
    }

    private func close(_ key: Key) {
        entries[key]?.waiting.values.forEach { $0.finish() }
        entries[key] = nil
    }

    private func expire(_ key: Key) {
        entries[key]?.isOverdue = true
        entries[key]?.waiting.values.forEach { $0.finish() }
        entries[key]?.waiting = [:]
    }

    private func prune() {
        let oldest = time.now().advanced(byMicroseconds: -Self.lifetime.wholeMicroseconds)
        let kept = entries.filter { $0.value.last > oldest || !$0.value.waiting.isEmpty }
        if kept.count < entries.count { entries = kept }
    }

    private static func request(_ key: Key, _ entry: Entry) -> PendingRequest {
        PendingRequest(
            app: key.client.name, privilege: key.privilege, run: key.client.run,
            asked: entry.asked, waiting: entry.waiting.count)
    }
}
