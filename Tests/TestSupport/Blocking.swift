import Dispatch
public import Testing

extension Trait where Self == BlockingTrait {
    /// Runs tests on threads that they may block.
    ///
    /// Swift's cooperative pool has one thread per processor. A test that waits on one of them for
    /// a process, a pipe or a semaphore keeps the tasks of all other tests waiting. Give this trait
    /// to every suite that starts programs or computes for seconds without suspending:
    ///
    /// ```swift
    /// @Suite(.blocking)
    /// struct DoctorTests {
    /// ```
    public static var blocking: Self { Self() }
}

/// Runs tests with ``BlockingExecutor`` as the preferred executor.
public struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingExecutor.shared) { try await function() }
    }
}

/// Runs jobs on threads outside the cooperative pool.
///
/// Unstructured tasks do not inherit a preferred executor: they run in the pool and must not block.
public final class BlockingExecutor: TaskExecutor {
    public static let shared = BlockingExecutor()

    private init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Self.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs work on a thread that it may block.
    static func run(_ work: @escaping @Sendable () -> Void) {
        // Dispatch adds a thread for a serial queue even if all others are blocked. A concurrent
        // queue would have to wait for a thread of the cooperative pool.
        DispatchQueue(label: "tests.blocking").async(execute: work)
    }

    /// Records an issue if the current task would block a thread of the cooperative pool.
    ///
    /// Call it before every wait in synchronous code, with what is waited for.
    public static func checkMayBlock(_ purpose: @autoclosure () -> String) {
        let isInPool = withUnsafeCurrentTask { task in
            guard let task else { return false }
            return task.unownedTaskExecutor != shared.asUnownedTaskExecutor()
        }
        guard isInPool else { return }
        Issue.record(
            """
            \(purpose()) blocks a thread of the cooperative pool: give the suite the trait \
            .blocking, or use asynchronous code
            """)
    }
}
