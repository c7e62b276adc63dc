import Samples
import Scheduling

/// Decides when a run has exceeded a time limit or has stopped answering.
struct Watchdog {
    /// What the host does next.
    enum Action {
        /// Kill the process.
        case end(RunOutcome)
        /// Send a ping, if there is a number, and check again after a rest.
        case rest(Duration, ping: UInt32?)
    }

    /// The shortest and the longest time between two checks.
    private static let rests = Duration.milliseconds(50)...Duration.seconds(5)
    /// The threads that a runner computes with, at most.
    private static let threads = 2

    private let budget: RunBudget
    private let patience: Duration
    private var start = ContinuousClock.now
    private var processor: ProcessorMeter
    private var nextPing = ContinuousClock.now
    /// When the answer to the ping is due.
    private var due = ContinuousClock.now
    private var lastPing: UInt32 = 0
    private var isAnswered = true
    private var isPingUnsent = false
    /// Whether the host reads no frames because it waits for something else.
    var isHeld = false

    /// - Parameter patience: how long the process may leave a ping unanswered, besides a turn of
    ///   the app.
    init(_ budget: RunBudget, patience: Duration) {
        self.budget = budget
        self.patience = budget.turn + patience
        processor = ProcessorMeter(limit: budget.cpuPerMinute)
    }

    /// Starts the clock of the run.
    mutating func begin(at now: ContinuousClock.Instant) {
        (start, nextPing, due) = (now, now, now)
    }

    /// Checks the limits.
    ///
    /// The less is left of a budget, the sooner the next check.
    ///
    /// - Parameter cpu: the processor time used; `nil` when the process has ended.
    mutating func check(at now: ContinuousClock.Instant, cpu: Duration?) -> Action {
        var rest = nextPing - now
        var ping: UInt32?
        if let cpu {
            guard processor.add(cpu, at: now) else { return .end(.exceeded(.cpuPerMinute)) }
            rest = min(rest, processor.room / Self.threads)
        }
        if let duration = budget.duration {
            let left = start + duration - now
            guard left > .zero else { return .end(.exceeded(.duration)) }
            rest = min(rest, left)
        }
        if isAnswered, now >= nextPing {
            ping = beginPing()
            nextPing = now + Self.rests.upperBound
            due = now + patience
        } else if !isAnswered {
            // The answer may be queued behind frames that the host does not read now.
            if isHeld { due = now + patience }
            guard now < due else { return .end(.unresponsive) }
            rest = min(rest, due - now)
        }
        return .rest(min(max(rest, Self.rests.lowerBound), Self.rests.upperBound), ping: ping)
    }

    /// A runner that does not read must not stop the checks, nor make pings pile up.
    private mutating func beginPing() -> UInt32? {
        isAnswered = false
        guard !isPingUnsent else { return nil }
        lastPing &+= 1
        isPingUnsent = true
        return lastPing
    }

    mutating func pingWasSent() {
        isPingUnsent = false
    }

    /// - Returns: `false` if this is not the answer to the last ping.
    mutating func acceptPong(_ number: UInt32) -> Bool {
        // It may come before the host knows that the ping was sent.
        guard number == lastPing, !isAnswered else { return false }
        isAnswered = true
        return true
    }
}

/// Bounds the processor time of a process within a minute, given its total.
struct ProcessorMeter {
    private let limit: Duration
    private var marks: [(time: ContinuousClock.Instant, cpu: Duration)] = []

    init(limit: Duration) {
        self.limit = limit
    }

    /// What may still be used now.
    var room: Duration { limit - used }

    /// - Parameter cpu: the time used since the process began.
    /// - Returns: whether the time used within the last minute is within the limit.
    mutating func add(_ cpu: Duration, at now: ContinuousClock.Instant) -> Bool {
        marks.append((now, cpu))
        // One older mark stays: it holds the total at the beginning of the minute.
        while marks.count > 1, now - marks[1].time >= .seconds(60) { marks.removeFirst() }
        return used <= limit
    }

    private var used: Duration {
        guard let first = marks.first, let last = marks.last else { return .zero }
        return last.cpu - first.cpu
    }
}

/// Counts what a run uses, and bounds its calls and its console lines within a minute.
struct UsageMeter {
    /// Bytes that a console line counts beside its text, so that empty lines are bounded too.
    private static let lineCost = 32
    /// Calls and lines within this interval are one entry of a limiter, which bounds its memory.
    private static let resolution = Duration.milliseconds(10)

    private(set) var usage = RunUsage()
    private var callLimiter: RateLimiter<ContinuousClock.Instant>
    private var logLimiter: RateLimiter<ContinuousClock.Instant>
    private var cancellations = 0
    private var start: ContinuousClock.Instant?

    init(_ budget: RunBudget) {
        callLimiter = RateLimiter(max(1, budget.callsPerMinute), per: .seconds(60))
        logLimiter = RateLimiter(max(1, budget.logPerMinute), per: .seconds(60))
    }

    /// Counts a call to the API.
    ///
    /// - Returns: whether it is within the budget.
    mutating func addCall(at now: ContinuousClock.Instant) -> Bool {
        usage.calls += 1
        return callLimiter.admit(at: rounded(now)) == nil
    }

    /// Counts a library that was loaded.
    mutating func addLibrary() {
        usage.calls += 1
    }

    /// - Returns: `false` if more calls were cancelled than made.
    mutating func addCancellation() -> Bool {
        cancellations += 1
        return cancellations <= usage.calls
    }

    /// Counts a line of the console.
    ///
    /// - Returns: whether it is within the budget.
    mutating func addLine(_ bytes: Int, at now: ContinuousClock.Instant) -> Bool {
        usage.logged += bytes
        return logLimiter.admit(bytes + Self.lineCost, at: rounded(now)) == nil
    }

    mutating func observe(cpu: Duration, memory: Int) {
        usage.cpu = cpu
        usage.memory = max(usage.memory, memory)
    }

    /// Adds what the kernel counted in the end, which may be less if the zygote died with the
    /// process.
    mutating func finish(_ ending: ProcessEnding) {
        usage.cpu = max(usage.cpu, ending.cpu)
        usage.memory = max(usage.memory, ending.peakMemory)
    }

    private mutating func rounded(
        _ now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant {
        let start = start ?? now
        self.start = start
        return start + Self.resolution * Int(start.duration(to: now) / Self.resolution)
    }
}
