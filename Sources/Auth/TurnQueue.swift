/// Who waits for a turn, in the order of coming.
struct TurnQueue {
    fileprivate var isTaken = false
    fileprivate(set) var waiting: [CheckedContinuation<Void, Never>] = []

    fileprivate mutating func pass() {
        guard !waiting.isEmpty else { return isTaken = false }
        waiting.removeFirst().resume()
    }
}

extension Authority {
    /// Makes a change when all that were asked for before it are done.
    ///
    /// An actor alone does not see to this: it lets others in while one waits for the file.
    func inTurn(_ change: () async throws(AuthError) -> Void) async throws(AuthError) {
        if changes.isTaken {
            await withCheckedContinuation { changes.waiting.append($0) }
        } else {
            changes.isTaken = true
        }
        defer { changes.pass() }
        try await change()
    }
}
