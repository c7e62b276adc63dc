import Dispatch

/// A thread for what others must not keep from running.
///
/// Tests that wait for programs hold the threads of the cooperative pool, and there are only as many of them
/// as processors.
final class OwnThread: TaskExecutor {
    static let shared = OwnThread()

    private let queue = DispatchQueue(label: "tests.own-thread")

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
