import Synchronization

/// How many calls go to one host, in all that lead there.
///
/// What is more waits for its turn. Two sensors of one server share what the server allows, so all packs
/// of a shelf have one budget.
final class CallBudget: Sendable {
    private let calls: Int
    private let span: Duration
    /// When the last calls to each host are or were due, the oldest first.
    private let due = Mutex<[String: [ContinuousClock.Instant]]>([:])

    /// Unless told otherwise, no more within any minute than the free tiers of weather services allow.
    init(calls: Int = 60, each span: Duration = .seconds(60)) {
        (self.calls, self.span) = (calls, span)
    }

    /// Takes the next turn of a host.
    ///
    /// - Returns: how long to wait for it.
    func turn(of host: String, at now: ContinuousClock.Instant = .now) -> Duration {
        due.withLock { due in
            let last = due[host, default: []]
            let first = last.count < calls ? now : max(now, last[0].advanced(by: span))
            due[host] = last.suffix(calls - 1) + [first]
            return now.duration(to: first)
        }
    }
}
