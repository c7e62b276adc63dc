/// Work on chunks, one piece after the other in the order it was asked for.
///
/// Plans are made beside the writer and hold only while nobody else changes chunks; so everything
/// that does goes through here.
struct MaintenanceQueue {
    private var last: Task<Void, Never>?

    mutating func add<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) -> Task<Result, any Error> {
        let before = last
        let task = Task {
            await before?.value
            return try await work()
        }
        last = Task { _ = await task.result }
        return task
    }

    /// The end of all that was asked for so far.
    var end: Task<Void, Never>? { last }
}
