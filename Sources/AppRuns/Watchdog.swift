import Samples
import Scheduling

/// Decides when a run has exceeded a time limit or has stopped answering.
struct Watchdog {
    /// The next action of the host.
    enum Action {
        /// Kill the process.
        case end(RunOutcome)
        /// Send a ping, if there is a number, and check again after the duration.
        case wait(Duration, ping: UInt32?)
    }

    /// The shortest and the longest time between two checks.
    private static let checkIntervals = Duration.milliseconds(50)...Duration.seconds(5)
    /// The maximum number of threads of a runner that use processor time at once.
    private static let threads = 2

    private let budget: RunBudget
    /// How long the process may leave a ping unanswered.
    private let pingTimeLimit: Duration
    private var start = ContinuousClock.now
    private var processor: ProcessorMeter
    private var nextPing = ContinuousClock.now
    /// When the answer to the ping is due.
    private var due = ContinuousClock.now
    private var lastPing: UInt32 = 0
    private var isAnswered = true
    private var isPingUnsent = false
    /// Whether the host reads no frames because it waits for something else.
    var isPaused = false

    /// - Parameter pingTimeLimit: how long the process may leave a ping unanswered, beyond the budget of a
    ///   turn.
    init(_ budget: RunBudget, pingTimeLimit: Duration) {
        self.budget = budget
        self.pingTimeLimit = budget.turn + pingTimeLimit
        processor = ProcessorMeter(limit: budget.cpuPerMinute)
    }

    /// Starts the clock of the run.
    mutating func begin(at now: ContinuousClock.Instant) {
        (start, nextPing, due) = (now, now, now)
    }

    /// Checks the limits.
    ///
    /// The smaller the rest of a budget, the sooner the next check.
    ///
    /// - Parameter cpu: the processor time used; `nil` when the process has ended.
    mutating func check(at now: ContinuousClock.Instant, cpu: Duration?) -> Action {
        var wait = nextPing - now
        var ping: UInt32?
        if let cpu {
            guard processor.add(cpu, at: now) else { return .end(.exceeded(.cpuPerMinute)) }
            wait = min(wait, processor.remaining / Self.threads)
        }
        if let duration = budget.duration {
            let left = start + duration - now
            guard left > .zero else { return .end(.exceeded(.duration)) }
            wait = min(wait, left)
        }
        if isAnswered, now >= nextPing {
            ping = beginPing()
            nextPing = now + Self.checkIntervals.upperBound
            due = now + pingTimeLimit
        } else if !isAnswered {
            // The answer may be queued behind frames that the host does not read now.
            if isPaused { due = now + pingTimeLimit }
            guard now < due else { return .end(.unresponsive) }
            wait = min(wait, due - now)
        }
        return .wait(
            min(max(wait, Self.checkIntervals.lowerBound), Self.checkIntervals.upperBound),
            ping: ping)
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
        // The answer may arrive before the host has recorded that the ping was sent.
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

    /// The time that may still be used now.
    var remaining: Duration { limit - used }

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

/// Counts the resources that a run uses, and bounds its calls and its console lines within a
/// minute.
struct UsageMeter {
    /// Bytes that are counted for each console line in addition to its text, so that empty lines are
    /// bounded too.
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

    /// Counts a call to the API, which may be a batch of several.
    ///
    /// - Returns: whether it is within the budget.
    mutating func addCalls(_ count: Int, at now: ContinuousClock.Instant) -> Bool {
        usage.calls += 1
        return callLimiter.admit(count, at: rounded(now)) == nil
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

    /// Adds the final counts of the kernel, which may be lower than those observed before if the zygote
    /// died with the process.
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
