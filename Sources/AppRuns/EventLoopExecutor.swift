import NIOCore
import NIOPosix
import Synchronization

/// Runs tasks, and an actor, on the thread of an event loop.
///
/// What a job adds runs in the same turn of the loop: a turn of its own would cost more than most jobs.
final class EventLoopExecutor: TaskExecutor, SerialExecutor {
    /// Jobs in one turn, after which the sockets of the loop are served.
    private static let limit = 128

    let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
    private let queue = Mutex(Queue())

    private struct Queue {
        var jobs: [UnownedJob] = []
        /// Whether a turn will run the jobs, or is running some.
        var hasTurn = false
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsTurn = queue.withLock { queue in
            queue.jobs.append(job)
            defer { queue.hasTurn = true }
            return !queue.hasTurn
        }
        if needsTurn { loop.execute { self.runJobs() } }
    }

    func checkIsolated() {
        loop.preconditionInEventLoop()
    }

    private func runJobs() {
        var jobs: [UnownedJob] = []
        var count = 0
        while count < Self.limit {
            jobs.removeAll(keepingCapacity: true)
            queue.withLock { queue in
                swap(&jobs, &queue.jobs)
                if jobs.isEmpty { queue.hasTurn = false }
            }
            if jobs.isEmpty { return }
            for job in jobs {
                job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
            count += jobs.count
        }
        loop.execute { self.runJobs() }
    }
}
