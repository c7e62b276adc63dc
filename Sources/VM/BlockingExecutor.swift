import Dispatch

/// Runs tasks that wait in system calls, so that they do not hold a thread of the cooperative pool.
final class BlockingExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "vm.reading", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
