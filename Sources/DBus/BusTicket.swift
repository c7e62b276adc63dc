internal import Synchronization

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
