import Glibc
import Synchronization

/// What tasks ask of the thread of a connection.
final class BusMailbox: Sendable {
    enum Order: Sendable {
        case call(Int, BusCall, BusTicket.Waiting)
        case cancel(Int)
        case send(BusCall)
        case listen(Int, [BusMatch], AsyncThrowingStream<BusSignal, any Error>.Continuation)
        case leave(Int)
        case close(CheckedContinuation<Void, Never>?)

        /// Answers what nobody does any more.
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
        var orders: [Order] = []
        /// Why the thread has ended.
        var ending: BusError?
    }

    /// Can be read when there are orders.
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

    func post(_ order: Order) {
        let ending = state.withLock { state in
            if state.ending == nil { state.orders.append(order) }
            return state.ending
        }
        if let ending { return order.fail(ending) }
        var byte: UInt8 = 1
        // Where it is full the thread has not read what it was told before, and wakes anyway.
        _ = Glibc.send(other, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// For the thread: the orders since it asked before.
    func take() -> [Order] {
        var buffer = [UInt8](repeating: 0, count: 256)
        while read(descriptor, &buffer, buffer.count) > 0 {}
        return state.withLock { state in
            defer { state.orders = [] }
            return state.orders
        }
    }

    /// For the thread: it obeys no more.
    func end(_ error: BusError) {
        let left = state.withLock { state in
            state.ending = error
            defer { state.orders = [] }
            return state.orders
        }
        for order in left { order.fail(error) }
    }
}

/// What the task that calls and the thread that waits for the answer have in common.
final class BusTicket: Sendable {
    typealias Outcome = Result<[BusValue], BusError>

    /// A call that was not answered yet.
    struct Waiting: Sendable {
        let ticket: BusTicket
        let deadline: ContinuousClock.Instant
        private let waiter: CheckedContinuation<Outcome, Never>

        init(
            _ ticket: BusTicket, _ waiter: CheckedContinuation<Outcome, Never>,
            until deadline: ContinuousClock.Instant
        ) {
            (self.ticket, self.waiter, self.deadline) = (ticket, waiter, deadline)
        }

        /// Must be called once.
        func end(_ outcome: Outcome) { waiter.resume(returning: outcome) }
    }

    private let cancelled = Atomic(false)

    /// A call may be cancelled before the thread has heard of it.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}
