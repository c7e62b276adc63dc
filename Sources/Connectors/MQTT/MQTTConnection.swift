import Foundation
import Glibc
import Synchronization

/// One connection to a broker, on a thread of its own, which waits and never polls.
struct MQTTConnection: Sendable {
    let broker: MQTTBroker
    /// `nil` for one that nobody else has.
    var clientID: String?

    /// Connects, listens until the broker ends it or the task is cancelled, and closes everything.
    ///
    /// - Throws: ``ConnectorError`` with what went wrong and what helps.
    func run(_ listener: any MQTTListener) async throws(ConnectorError) {
        let ending = try MQTTCancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                ending.wait(waiter)
                Thread.detachNewThread { ending.finish(listen(listener, ending)) }
            }
        } onCancel: {
            ending.cancel()
        }
        try outcome.get()
    }

    private func listen(_ listener: any MQTTListener, _ ending: MQTTCancellation)
        -> MQTTCancellation.Outcome
    {
        Self.refuseBrokenPipes()
        return Result { () throws(ConnectorError) in
            guard !ending.isCancelled else { return }
            let session = try MQTTSession(broker, clientID: clientID, listener)
            try session.connect(ending)
            try session.listen(ending)
        }
    }

    /// A broker that goes while this writes must not end the program.
    private static func refuseBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// How a thread that waits for a broker and the task that waits for the thread tell each other the end.
final class MQTTCancellation: Sendable {
    typealias Outcome = Result<Void, ConnectorError>

    private struct State {
        var waiter: CheckedContinuation<Outcome, Never>?
        var isCancelled = false
        /// The thread is where nothing can wake it.
        var isDeaf = false
    }

    /// Readable as soon as the thread is to end.
    let descriptor: Int32
    private let other: Int32
    private let state = Mutex(State())

    /// - Throws: ``ConnectorError`` when there are too many open files.
    init() throws(ConnectorError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(
            SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw ConnectorError(
                "No socket can be made: \(MQTTBroker.reason(errno)). Close other programs.")
        }
        (descriptor, other) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(other)
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// The task waits from now on.
    func wait(_ waiter: CheckedContinuation<Outcome, Never>) {
        state.withLock { $0.waiter = waiter }
    }

    /// The task is not to wait any longer.
    func cancel() {
        // The thread has closed everything before it says so; where it is deaf, there is nothing yet.
        let waiter = state.withLock { state in
            state.isCancelled = true
            return state.isDeaf ? state.waiter.take() : nil
        }
        var byte: UInt8 = 1
        _ = write(other, &byte, 1)
        waiter?.resume(returning: .success(()))
    }

    /// Runs what cannot be interrupted, such as the look-up of a name.
    func deaf<T>(_ body: () -> T) -> T {
        let waiter = state.withLock { state in
            state.isDeaf = true
            return state.isCancelled ? state.waiter.take() : nil
        }
        waiter?.resume(returning: .success(()))
        defer { state.withLock { $0.isDeaf = false } }
        return body()
    }

    /// The thread has closed everything.
    func finish(_ outcome: Outcome) {
        state.withLock { $0.waiter.take() }?.resume(returning: outcome)
    }
}
