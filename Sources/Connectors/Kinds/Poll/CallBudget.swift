import Synchronization

/// How many calls go to one host, in all that lead there.
///
/// Within any minute there are no more than the free tiers of weather services allow; what is more
/// waits for its turn.
final class CallBudget: Sendable {
    /// That of this process: two sensors of one server share what the server allows.
    static let shared = CallBudget(calls: 60, each: .seconds(60))

    private let calls: Int
    private let span: Duration
    /// When the last calls to each host are or were due, the oldest first.
    private let due = Mutex<[String: [ContinuousClock.Instant]]>([:])

    init(calls: Int, each span: Duration) {
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
