/// Decides which runs exceed the limits of all runs together.
///
/// Memory is checked with each observation: the run that has grown most is ended until the rest is within the
/// limit. If all runs together keep half of the processors busy, those that use the most get only time that no other
/// program needs, until they end: the kernel does not let an ordinary user take that back.
///
/// ```swift
/// var shared = SharedBudget(TotalBudget(), processors: 2)
/// for action in shared.check(loads, at: .now) { … }
/// ```
struct SharedBudget {
    /// What a run uses now.
    struct Load {
        let run: String
        /// Processor time since it started.
        let cpu: Duration
        /// Bytes beyond those that it had when it started.
        let growth: Int
    }

    enum Action: Equatable {
        case end(run: String)
        case yield(run: String)
    }

    /// The shortest time over which the use of the processors is judged.
    private static let window = Duration.seconds(1)

    private let limit: TotalBudget
    private let processors: Int
    private var mark: (time: ContinuousClock.Instant, cpu: [String: Duration])?
    private var yielding: Set<String> = []
    /// The bytes that all runs together have grown by.
    private(set) var growth = 0

    init(_ limit: TotalBudget, processors: Int) {
        self.limit = limit
        self.processors = max(1, processors)
    }

    /// How long to wait before the next check: the more memory is used, the shorter.
    var interval: Duration {
        if growth > limit.memory / 2 { return .milliseconds(100) }
        return growth > limit.memory / 8 ? .milliseconds(250) : .seconds(1)
    }

    /// Why no other run may start; `nil` if one may.
    ///
    /// - Parameter count: how many run.
    func refusal(with count: Int) -> AppRunsError? {
        if count >= limit.runs {
            return AppRunsError(
                .conflict, "\(count) runs are in progress, the most at one time.",
                hint: "End one with nervous stop, or raise budgets.total.runs in config.json.")
        }
        // Each that starts may use some of the rest before the next check.
        guard growth > limit.memory / 10 * 9 else { return nil }
        return AppRunsError(
            .conflict,
            "The running apps use \(growth >> 20) of the \(limit.memory >> 20) MiB that all apps may use together.",
            hint: "End one with nervous stop, or raise budgets.total.memoryMiB in config.json.")
    }

    /// Checks the limits, given what every run uses.
    mutating func check(_ loads: [Load], at now: ContinuousClock.Instant) -> [Action] {
        checkMemory(loads) + checkProcessor(loads, at: now)
    }

    private mutating func checkMemory(_ loads: [Load]) -> [Action] {
        growth = loads.reduce(0) { $0 + max(0, $1.growth) }
        var actions: [Action] = []
        for load in loads.sorted(by: { $0.growth > $1.growth }) where growth > limit.memory {
            growth -= max(0, load.growth)
            actions.append(.end(run: load.run))
        }
        return actions
    }

    private mutating func checkProcessor(
        _ loads: [Load], at now: ContinuousClock.Instant
    ) -> [Action] {
        let current = Dictionary(loads.map { ($0.run, $0.cpu) }) { $1 }
        guard let mark else {
            mark = (now, current)
            return []
        }
        let elapsed = now - mark.time
        guard elapsed >= Self.window else { return [] }
        self.mark = (now, current)
        yielding.formIntersection(current.keys)
        let used = current.map { run, cpu in
            (run: run, cpu: max(.zero, cpu - (mark.cpu[run] ?? .zero)))
        }
        let total = used.reduce(Duration.zero) { $0 + $1.cpu }
        guard total > elapsed * processors / 2 else { return [] }
        // Those that use at least half of an equal share.
        let share = total / (2 * max(1, used.count))
        let busy = used.filter { $0.cpu >= share && !yielding.contains($0.run) }.map(\.run).sorted()
        yielding.formUnion(busy)
        return busy.map { .yield(run: $0) }
    }
}
