public import Dispatch

/// Runs tasks that block in system calls on threads of their own.
///
/// The cooperative pool has one thread for each processor; a blocking call there stops other tasks.
///
/// ```swift
/// let executor = BlockingExecutor(label: "vm.reading")
/// let value = await withTaskExecutorPreference(executor) { read() }
/// ```
public final class BlockingExecutor: TaskExecutor {
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - label: names the threads in a debugger.
    ///   - isSerial: whether one task runs at a time.
    public init(label: String, isSerial: Bool = false, qos: DispatchQoS = .unspecified) {
        queue = DispatchQueue(label: label, qos: qos, attributes: isSerial ? [] : .concurrent)
    }

    /// Runs a job on the queue; called by the runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs the jobs of one actor on a thread of its own, so that the actor may block.
public final class BlockingSerialExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: names the thread in a debugger.
    public init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs a job on the queue; called by the runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
