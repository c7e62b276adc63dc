/// The virtual time of a run, which does not follow the machine's clock.
///
/// The host sets the clock of the app's process. Time advances only while the app waits: every call
/// except an open stream has been answered, and the process has read every frame. So the app's work
/// takes no time, and equal runs have equal results.
public protocol VirtualRunTime: Sendable {
    /// The app's clock at the start, in microseconds since 1970 UTC.
    var start: Int64 { get }
    /// The seed of the app's random numbers.
    var seed: UInt64 { get }

    /// Lets every open stream send the samples that have arrived for it, one stream after the
    /// other.
    func deliverPendingSamples() async

    /// Advances to `deadline`, or to the first sample until then that a stream waits for.
    ///
    /// - Parameter deadline: when the app's next timer is due, in microseconds since 1970; `nil`
    ///   when it waits for streams only.
    /// - Returns: the new time; `nil` when no stream will receive another sample.
    /// - Throws: why time cannot advance; the run ends.
    func advance(to deadline: Int64?) async throws -> AdvanceResult?
}

/// A moment in the virtual time of a run.
public struct AdvanceResult: Sendable, Hashable {
    /// Since 1970 UTC.
    public let microseconds: Int64
    /// Whether the app's deadline has come, and no stream has a sample before it.
    public let isDeadline: Bool

    /// A moment that ``VirtualRunTime/advance(to:)`` reached.
    public init(microseconds: Int64, isDeadline: Bool) {
        self.microseconds = microseconds
        self.isDeadline = isDeadline
    }
}

/// Decides when virtual time may advance: only while the app has nothing to do.
///
/// Calls are forwarded one after the other, in the order in which the app made them, so that their
/// responses arrive in the same order in every run.
struct VirtualRunClock {
    let time: any VirtualRunTime

    /// Frames sent to the runner.
    private(set) var sentFrames: UInt64 = 0
    /// The runner's last report that it has nothing to do.
    private var idle: (received: UInt64, next: UInt64?)?
    /// Whether time is about to advance.
    private var isAdvancing = false
    private var advanceTask: Task<Void, Never>?
    /// Calls whose response is an open stream.
    private var streams: Set<UInt32> = []
    private let began = ContinuousClock.now
    private var passed = Duration.zero
    /// Calls that are not answered, in the order in which the app made them.
    private var queue: [UInt32] = []
    private var waiting: [UInt32: CheckedContinuation<Void, Never>] = [:]

    init(_ time: any VirtualRunTime) {
        self.time = time
    }

    /// The virtual time, by which limits per minute are counted.
    var instant: ContinuousClock.Instant { began + passed }

    /// Notes that frames are about to be sent: the runner may report that it has read them before the write
    /// returns.
    mutating func recordSent(_ count: Int) {
        sentFrames += UInt64(count)
    }

    /// Notes that frames were not sent after all.
    mutating func recordUnsent(_ count: Int) {
        sentFrames -= UInt64(count)
    }

    /// Notes that the runner has nothing to do before `next`, in nanoseconds after the start.
    ///
    /// - Returns: `false` if the report is impossible.
    mutating func recordIdle(received: UInt64, next: UInt64?) -> Bool {
        guard received <= sentFrames else { return false }
        idle = (received, next)
        return true
    }

    /// Whether the runner has read every frame and only streams are open.
    func isIdle(_ calls: some Collection<UInt32>) -> Bool {
        idle?.received == sentFrames && queue.isEmpty && calls.allSatisfy(streams.contains)
    }

    // MARK: - Order of calls

    /// Adds a call behind those made before.
    mutating func add(_ id: UInt32) {
        queue.append(id)
    }

    /// Resumes `continuation` when the calls before this one have been answered, or when it leaves the queue.
    mutating func wait(_ id: UInt32, _ continuation: CheckedContinuation<Void, Never>) {
        // A call that was cancelled meanwhile does not wait.
        guard queue.contains(id) else { return continuation.resume() }
        waiting[id] = continuation
        resumeNext()
    }

    mutating func beginStream(_ id: UInt32) {
        streams.insert(id)
    }

    /// Takes a call out of the queue, whether it has been answered or still waits, so that the next one can
    /// be forwarded.
    ///
    /// - Parameter isComplete: whether the response has ended; `false` if a stream remains open.
    mutating func allowNextCall(after id: UInt32, isComplete: Bool) {
        if isComplete { streams.remove(id) }
        queue.removeAll { $0 == id }
        waiting.removeValue(forKey: id)?.resume()
        resumeNext()
    }

    private mutating func resumeNext() {
        guard !isAdvancing, let first = queue.first else { return }
        waiting.removeValue(forKey: first)?.resume()
    }

    // MARK: - Advancing

    /// Begins to advance, if the app has nothing to do.
    ///
    /// - Returns: whether the caller must advance time now.
    mutating func beginAdvance(_ calls: some Collection<UInt32>) -> Bool {
        guard !isAdvancing, isIdle(calls) else { return false }
        isAdvancing = true
        return true
    }

    mutating func setAdvanceTask(_ task: Task<Void, Never>) {
        advanceTask = task
    }

    /// When the app's next timer is due, in microseconds since 1970.
    var deadline: Int64? {
        guard let idle, let next = idle.next else { return nil }
        return time.start + Int64(clamping: (next + 999) / 1000)
    }

    /// Sets the clock.
    ///
    /// - Returns: the microseconds since the start.
    mutating func advance(to moment: AdvanceResult) -> UInt64 {
        let microseconds = max(0, moment.microseconds - time.start)
        passed = .microseconds(microseconds)
        return UInt64(microseconds)
    }

    mutating func endAdvance() {
        isAdvancing = false
        resumeNext()
    }

    /// Cancels advancing and resumes all calls, at the end of the run.
    ///
    /// - Returns: the task that advances time, so that the caller can wait for its end.
    mutating func stop() -> Task<Void, Never>? {
        advanceTask?.cancel()
        let left = waiting.values
        (queue, waiting) = ([], [:])
        for continuation in left { continuation.resume() }
        return advanceTask
    }
}
