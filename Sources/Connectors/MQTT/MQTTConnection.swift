import Foundation
import Glibc
import Synchronization

/// One connection to a broker, on a separate thread that blocks in poll(2).
struct MQTTConnection: Sendable {
    let broker: MQTTBroker
    /// `nil` for a random one.
    var clientID: String?

    /// Connects, receives messages until the connection ends or the task is cancelled, and closes
    /// it.
    ///
    /// - Throws: ``ConnectorError``.
    func run(_ listener: any MQTTListener) async throws(ConnectorError) {
        let cancellation = try MQTTCancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                cancellation.wait(waiter)
                Thread.detachNewThread { cancellation.finish(listen(listener, cancellation)) }
            }
        } onCancel: {
            cancellation.cancel()
        }
        try outcome.get()
    }

    private func listen(_ listener: any MQTTListener, _ cancellation: MQTTCancellation)
        -> MQTTCancellation.Outcome
    {
        Self.blockBrokenPipeSignal()
        return Result { () throws(ConnectorError) in
            guard !cancellation.isCancelled else { return }
            let session = try MQTTSession(broker, clientID: clientID, listener)
            try session.connect(cancellation)
            try session.listen(cancellation)
        }
    }

    /// Blocks SIGPIPE, which a write to a closed connection raises.
    private static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// Synchronises the end of a connection's thread with the cancellation of the task waiting for it.
final class MQTTCancellation: Sendable {
    typealias Outcome = Result<Void, ConnectorError>

    private struct State {
        var waiter: CheckedContinuation<Outcome, Never>?
        var isCancelled = false
        /// Whether the thread is in an uninterruptible call.
        var isUninterruptible = false
    }

    /// Readable as soon as the thread must end.
    let descriptor: Int32
    private let other: Int32
    private let state = Mutex(State())

    /// - Throws: ``ConnectorError`` if too many files are open.
    init() throws(ConnectorError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(
            SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw ConnectorError(
                "Cannot create a socket: \(MQTTBroker.reason(errno)). Close other programs.")
        }
        (descriptor, other) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(other)
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Registers the waiting task.
    func wait(_ waiter: CheckedContinuation<Outcome, Never>) {
        state.withLock { $0.waiter = waiter }
    }

    /// Ends the wait of a cancelled task.
    func cancel() {
        // Normally the thread resumes the waiter after closing the connection. During an uninterruptible call
        // nothing is open yet, so the waiter need not wait for the thread.
        let waiter = state.withLock { state in
            state.isCancelled = true
            return state.isUninterruptible ? state.waiter.take() : nil
        }
        var byte: UInt8 = 1
        _ = write(other, &byte, 1)
        waiter?.resume(returning: .success(()))
    }

    /// Runs a call that cannot be interrupted, such as name resolution.
    func uninterruptible<T>(_ body: () -> T) -> T {
        let waiter = state.withLock { state in
            state.isUninterruptible = true
            return state.isCancelled ? state.waiter.take() : nil
        }
        waiter?.resume(returning: .success(()))
        defer { state.withLock { $0.isUninterruptible = false } }
        return body()
    }

    /// Resumes the waiting task after the thread has closed everything.
    func finish(_ outcome: Outcome) {
        state.withLock { $0.waiter.take() }?.resume(returning: outcome)
    }
}
