import Dispatch

/// Computes analyses one after the other, so that they hold neither a thread of the cooperative pool
/// nor more than one processor.
final class AnalysisExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "lae.analysis", qos: .utility)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
