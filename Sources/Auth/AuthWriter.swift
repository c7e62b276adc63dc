import Databases
import Files
import GRDB
import Synchronization

/// Writes to the permission database, one transaction after the other.
///
/// A revocation is never lost while this process runs: it takes effect in memory before it is stored.
/// If it cannot be stored, the writer keeps it, tries again, and stores it before any later change. On a
/// full disk the space of a reserve is released for it.
///
/// ```swift
/// try await writer.write { try $0.execute(sql: "INSERT …") }
/// try await writer.revoke { try $0.execute(sql: "DELETE …") }
/// ```
final class AuthWriter: Sendable {
    typealias Change = @Sendable (Database) throws -> Void

    /// A change writes a few pages; this is enough for hundreds.
    private static let reserveBytes: Int64 = 1 << 20

    private struct State {
        /// The changes that have taken effect and are not yet stored, oldest first.
        var waiting: [Change] = []
        /// Whether the last attempt to store them failed.
        var isFailing = false
        var isReserveUsed = false
    }

    /// The path of the file.
    let path: String
    private let queue: DatabaseQueue
    private let reserve: DiskReserve
    private let willCommit: @Sendable () throws -> Void
    private let state = Mutex(State())

    /// - Parameter willCommit: called at the end of every transaction, which is rolled back if it throws.
    init(
        _ queue: DatabaseQueue, path: String,
        willCommit: @escaping @Sendable () throws -> Void = {}
    ) {
        self.queue = queue
        self.path = path
        self.willCommit = willCommit
        reserve = Self.reserve(beside: path)
        reserve.allocate(free: DiskReserve.free(at: path))
    }

    static func reserve(beside path: String) -> DiskReserve {
        DiskReserve(path: path + "-reserve", size: reserveBytes)
    }

    /// Whether the last attempt to store revocations succeeded, and the next one can be stored even on a
    /// full disk.
    var isSafe: Bool { state.withLock { !$0.isFailing && !$0.isReserveUsed } }

    func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await queue.read(body)
    }

    /// Makes a change, after storing the revocations that are not yet stored.
    func write<T: Sendable>(
        _ change: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await queue.writeWithoutTransaction { database in
            try self.storeWaiting(database)
            return try self.commit(database, change)
        }
    }

    /// Stores a revocation that has already taken effect.
    ///
    /// - Throws: when it could not be stored yet; ``retry()`` then tries again.
    func revoke(_ change: @escaping Change) async throws {
        state.withLock { $0.waiting.append(change) }
        try await storeWaitingWithReserve()
    }

    /// Makes a change with ``revoke(_:)`` or ``write(_:)``.
    func perform(isRevocation: Bool, _ change: @escaping Change) async throws {
        if isRevocation { try await revoke(change) } else { try await write(change) }
    }

    /// Stores the changes that wait, and reserves space again if there is enough.
    func retry() async {
        let (isComplete, isReserveUsed) = state.withLock { ($0.waiting.isEmpty, $0.isReserveUsed) }
        if !isComplete { try? await storeWaitingWithReserve() }
        guard isReserveUsed else { return }
        reserve.allocate(free: DiskReserve.free(at: path))
        if reserve.isAllocated { state.withLock { $0.isReserveUsed = false } }
    }

    // MARK: - Private

    /// Stores the changes that wait, also when the calling task is cancelled.
    private func storeWaitingWithReserve() async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.asyncWriteWithoutTransaction { database in
                continuation.resume(with: Result { try self.storeWithReserve(database) })
            }
        }
    }

    private func storeWithReserve(_ database: Database) throws {
        do {
            try storeWaiting(database)
        } catch let error as DatabaseError where error.isLackOfSpace && reserve.release() {
            state.withLock { $0.isReserveUsed = true }
            try storeWaiting(database)
        }
    }

    private func storeWaiting(_ database: Database) throws {
        while let next = state.withLock({ $0.waiting.first }) {
            do {
                try commit(database, next)
            } catch is AuthError {
                // The client or run no longer exists.
            } catch {
                state.withLock { $0.isFailing = true }
                throw error
            }
            state.withLock { _ = $0.waiting.removeFirst() }
        }
        state.withLock { $0.isFailing = false }
    }

    private func commit<T>(
        _ database: Database, _ change: (Database) throws -> T
    ) throws -> T {
        var result: T?
        try database.inTransaction(.immediate) {
            result = try change(database)
            try willCommit()
            return .commit
        }
        guard let result else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
        return result
    }
}
