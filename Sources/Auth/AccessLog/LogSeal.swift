import Foundation
public import Samples
import Scheduling
import Synchronization

/// Whether and since when the access log is sealed.
public struct AccessLogSealStatus: Hashable, Sendable {
    /// The first sealed entry.
    public let first: Int64
    /// When the log was sealed.
    public let since: Timestamp
    /// The verifier key of checkpoints, in the form of signed notes.
    public let signer: String
    /// The newest entry of which a checkpoint was made, and when.
    public let checkpoint: Checkpoint?

    /// The last checkpoint.
    public struct Checkpoint: Hashable, Sendable {
        /// The number of the entry.
        public let entry: Int64
        /// When it was made.
        public let time: Timestamp
    }

    /// The status of a log whose host need not run; `nil` if the log is not sealed.
    ///
    /// - Parameter database: the path of `permissions.sqlite`.
    public init?(of database: String) {
        guard case .state(let state) = LogSealFile.read(LogSealFile.path(beside: database)),
            let status = try? AccessLogSealStatus(state)
        else { return nil }
        self = status
    }

    init(_ state: LogSealState) throws {
        first = state.first
        since = state.since
        signer = NoteSigner(publicKey: try state.publicKey).text
        let (entry, time) = state.checkpoint
        checkpoint = entry > 0 ? Checkpoint(entry: entry, time: time) : nil
    }
}

/// The moving key of a sealed access log: one for each entry in memory, and in the file one for each second.
///
/// Entries are sealed in the transaction that appends them. The key in the file may be behind after a crash: it is
/// moved again to the entry that follows the newest one, so that neither an entry nor a seal is lost. Whoever
/// takes the file can seal the entries from its key on, which are those of the last second.
final class LogSeal: Sendable {
    private static let executor = BlockingExecutor(label: "auth.seal", isSerial: true)

    private let path: String
    private let state: Mutex<State>

    private struct State {
        var current: LogSealState?
        /// Whether the file has an earlier state.
        var isBehind = false
        /// Why the file cannot be used.
        var fault: String?
    }

    /// Reads `access-log.seal`.
    ///
    /// - Parameter database: the path of `permissions.sqlite`.
    init(beside database: String) {
        path = LogSealFile.path(beside: database)
        switch LogSealFile.read(path) {
        case .missing: state = Mutex(State())
        case .damaged: state = Mutex(State(fault: "access-log.seal is damaged"))
        // A crash may have left an earlier key in one of the places: both are written again.
        case .state(let found): state = Mutex(State(current: found, isBehind: true))
        }
    }

    /// The key of the next entry; `nil` if the log is not sealed.
    var key: LogSealKey? { state.withLock { $0.current?.key } }

    /// Why the log is not sealed although it was; `nil` if it is sealed, or never was.
    var fault: String? { state.withLock { $0.fault } }

    func status() throws -> AccessLogSealStatus? {
        try state.withLock { $0.current }.map(AccessLogSealStatus.init)
    }

    /// Takes over the key after entries were committed.
    func advance(to key: LogSealKey) {
        state.withLock { state in
            guard let current = state.current, current.key.entry < key.entry else { return }
            state.current?.key = key
            state.isBehind = true
        }
    }

    /// Moves the key in the file, if it is behind.
    func store() async throws {
        try await withTaskExecutorPreference(Self.executor) { try self.storeNow() }
    }

    /// Begins a new sequence of keys.
    ///
    /// Called in the transaction that appends the first entry, so that no other entry comes between.
    ///
    /// - Returns: what the owner keeps; of its secret key, only those of later entries remain here.
    func begin(at entry: Int64, time: Timestamp) throws -> AccessLogKey {
        let new = LogSealState(key: LogSealKey(randomFor: entry), since: time)
        try LogSealFile.create(path, new)
        state.withLock { $0 = State(current: new) }
        return AccessLogKey(first: new.key, publicKey: try new.publicKey)
    }

    /// Signs a checkpoint and stores that it was made; `nil` if the log is not sealed.
    func checkpoint(entry: Int64, hash: Data, time: Timestamp) async throws -> LogCheckpoint? {
        guard let signer = try state.withLock({ try $0.current?.signer }) else { return nil }
        let made = try LogCheckpoint(entry: entry, hash: hash, time: time, by: signer)
        state.withLock { state in
            state.current?.checkpoint = (entry, time)
            state.isBehind = true
        }
        try await store()
        return made
    }

    private func storeNow() throws {
        guard let behind = state.withLock({ $0.isBehind ? $0.current : nil }) else { return }
        try LogSealFile.update(path, behind)
        state.withLock { state in
            guard let current = state.current else { return }
            state.isBehind =
                current.key.entry != behind.key.entry
                || current.checkpoint.entry != behind.checkpoint.entry
        }
    }
}
