import Glibc
import Synchronization

/// The requests of tasks to the thread of a connection.
final class BusMailbox: Sendable {
    enum Request: Sendable {
        case call(Int, BusCall, PendingCall.Waiting)
        case cancel(Int)
        case send(BusCall)
        case listen(Int, [BusMatch], AsyncThrowingStream<BusSignal, any Error>.Continuation)
        case leave(Int)
        case close(CheckedContinuation<Void, Never>?)

        /// Fails the request after the end of the thread.
        fileprivate func fail(_ error: BusError) {
            switch self {
            case .call(_, _, let waiting): waiting.end(.failure(error))
            case .listen(_, _, let output): output.finish(throwing: error)
            case .close(let waiter): waiter?.resume()
            case .cancel, .send, .leave: break
            }
        }
    }

    private struct State {
        var requests: [Request] = []
        /// The reason why the thread ended.
        var ending: BusError?
    }

    /// Readable when there are requests.
    let descriptor: Int32
    private let other: Int32
    private let state = Mutex(State())

    init() throws(BusError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw BusError(.unreachable, -errno)
        }
        (descriptor, other) = (ends[0], ends[1])
    }

    deinit {
        Glibc.close(descriptor)
        Glibc.close(other)
    }

    func post(_ request: Request) {
        let ending = state.withLock { state in
            if state.ending == nil { state.requests.append(request) }
            return state.ending
        }
        if let ending { return request.fail(ending) }
        var byte: UInt8 = 1
        // If the socket is full, the thread is going to wake up anyway.
        _ = Glibc.send(other, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// For the thread: the requests since the last call.
    func take() -> [Request] {
        var buffer = [UInt8](repeating: 0, count: 256)
        while read(descriptor, &buffer, buffer.count) > 0 {}
        return state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    /// For the thread: fails these and all later requests.
    func end(_ error: BusError) {
        let left = state.withLock { state in
            state.ending = error
            defer { state.requests = [] }
            return state.requests
        }
        for request in left { request.fail(error) }
    }
}

/// The state of a call that its task and the thread share.
final class PendingCall: Sendable {
    typealias Outcome = Result<[BusValue], BusError>

    /// A call without a reply yet, and its task.
    struct Waiting: Sendable {
        let call: PendingCall
        let deadline: ContinuousClock.Instant
        private let waiter: CheckedContinuation<Outcome, Never>

        init(
            _ call: PendingCall, _ waiter: CheckedContinuation<Outcome, Never>,
            until deadline: ContinuousClock.Instant
        ) {
            (self.call, self.waiter, self.deadline) = (call, waiter, deadline)
        }

        /// Must be called once.
        func end(_ outcome: Outcome) { waiter.resume(returning: outcome) }
    }

    private let cancelled = Atomic(false)

    /// A call can be cancelled before the thread has read its request.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}
