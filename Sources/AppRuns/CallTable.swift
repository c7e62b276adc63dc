import RunnerProtocol

/// The calls of a run that have not been answered completely.
///
/// It bounds the resources that a hostile runner can occupy in the host: open calls, responses that
/// the runner does not read, and files, which are read into memory completely.
struct CallTable {
    /// Concurrent calls.
    private static let limit = 64

    private var tasks: [UInt32: Task<Void, Never>] = [:]
    private var libraries: Set<RunnerLibrary> = []
    /// Responses whose last frames the runner has not read.
    private var unread = 0
    /// The frame loop, while it waits for the runner to read.
    private var frameLoop: CheckedContinuation<Void, Never>?
    private var isFileInUse = false
    private var fileQueue: [(id: UInt32, continuation: CheckedContinuation<Bool, Never>)] = []

    /// The identifiers of the open calls.
    var ids: some Collection<UInt32> { tasks.keys }

    /// Whether a call of this identifier can begin.
    func accepts(_ id: UInt32) -> Bool { tasks[id] == nil && tasks.count < Self.limit }

    func contains(_ id: UInt32) -> Bool { tasks[id] != nil }

    mutating func add(_ id: UInt32, _ task: Task<Void, Never>) {
        tasks[id] = task
    }

    mutating func remove(_ id: UInt32) -> Task<Void, Never>? {
        tasks.removeValue(forKey: id)
    }

    /// Cancels all calls.
    ///
    /// - Returns: their tasks, so that the caller can wait for their end.
    func cancelAll() -> [Task<Void, Never>] {
        for task in tasks.values { task.cancel() }
        return Array(tasks.values)
    }

    /// - Returns: `false` for a library that was sent before: a runner needs each only once.
    mutating func markSent(_ library: RunnerLibrary) -> Bool {
        libraries.insert(library).inserted
    }

    // MARK: - Unread responses

    /// Whether the frame loop must wait until the runner reads, to bound the host's memory.
    var isCongested: Bool { unread > Self.limit }

    mutating func waitForReader(_ continuation: CheckedContinuation<Void, Never>) {
        frameLoop = continuation
    }

    /// The last frames of a response are about to be sent.
    mutating func beginLastFrames(of id: UInt32) {
        tasks[id] = nil
        unread += 1
    }

    mutating func endLastFrames() {
        unread -= 1
        if !isCongested { resumeFrameLoop() }
    }

    mutating func resumeFrameLoop() {
        frameLoop?.resume()
        frameLoop = nil
    }

    // MARK: - Files

    /// Lets one call at a time be answered with a file.
    ///
    /// - Parameter continuation: resumed with `false` if the call leaves the queue.
    mutating func queueForFile(
        _ id: UInt32, _ continuation: CheckedContinuation<Bool, Never>
    ) {
        if isFileInUse {
            fileQueue.append((id, continuation))
        } else {
            isFileInUse = true
            continuation.resume(returning: true)
        }
    }

    mutating func endFile() {
        if fileQueue.isEmpty {
            isFileInUse = false
        } else {
            fileQueue.removeFirst().continuation.resume(returning: true)
        }
    }

    /// Takes a cancelled call out of the queue, because the response before it may never end.
    mutating func leaveFileQueue(_ id: UInt32) {
        guard let index = fileQueue.firstIndex(where: { $0.id == id }) else { return }
        fileQueue.remove(at: index).continuation.resume(returning: false)
    }
}
