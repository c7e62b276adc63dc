/// What a run has to know to let time pass only while the app has nothing to do.
///
/// Calls are carried one after the other, in the order in which the app made them, so that their
/// answers come in the same order each time.
struct ToldTime {
    /// Frames that were sent to the runner.
    var sent: UInt64 = 0
    /// What the runner said of itself when it had nothing to do.
    var idle: (heard: UInt64, next: UInt64?)?
    /// Whether time is about to pass.
    var isMoving = false
    var movement: Task<Void, Never>?
    /// Calls whose answer is a stream that goes on.
    var streams: Set<UInt32> = []
    /// For meters that count by the minute: when the run began, and how much of its time has passed.
    let began = ContinuousClock.now
    var passed = Duration.zero

    private var turns: [UInt32] = []
    private var waiting: [UInt32: CheckedContinuation<Void, Never>] = [:]

    /// Whether the runner has heard everything and nothing that it asked for is left to do.
    func isAtRest(_ calls: some Collection<UInt32>) -> Bool {
        idle?.heard == sent && turns.isEmpty && calls.allSatisfy(streams.contains)
    }

    /// Puts a call behind those that were made before.
    mutating func queue(_ id: UInt32) {
        turns.append(id)
    }

    /// - Returns: who may go on now, if anybody.
    mutating func wait(
        _ id: UInt32, _ turn: CheckedContinuation<Void, Never>
    ) -> CheckedContinuation<Void, Never>? {
        // One that was taken back meanwhile waits for nothing.
        guard turns.contains(id) else { return turn }
        waiting[id] = turn
        return next()
    }

    mutating func next() -> CheckedContinuation<Void, Never>? {
        guard !isMoving, let first = turns.first else { return nil }
        return waiting.removeValue(forKey: first)
    }

    /// Ends the turn of a call, or its waiting for one.
    mutating func leave(_ id: UInt32) -> [CheckedContinuation<Void, Never>] {
        turns.removeAll { $0 == id }
        return [waiting.removeValue(forKey: id), next()].compactMap(\.self)
    }

    mutating func leaveAll() -> [CheckedContinuation<Void, Never>] {
        defer { (turns, waiting) = ([], [:]) }
        return Array(waiting.values)
    }
}
