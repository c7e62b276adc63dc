/// A mutex for asynchronous work on one actor, first come first served.
///
/// An actor alone does not serialise changes: while a change waits for the database, others can start.
final class ChangeQueue {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// How many callers wait.
    var count: Int { waiting.count }

    /// Waits until all earlier callers have left.
    nonisolated(nonsending) func enter() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        guard !waiting.isEmpty else {
            isTaken = false
            return
        }
        waiting.removeFirst().resume()
    }
}
