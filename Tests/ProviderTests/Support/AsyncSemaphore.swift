/// A semaphore that resumes waiting callers in order.
///
/// A host holds about ten descriptors, and hundreds of tests begin at once. Where a process has
/// more than some 1 300 descriptors, Foundation's `Process` copies whole directory entries beyond
/// the end of the buffer that lists them, and can crash. This limits the descriptors that hosts use.
actor AsyncSemaphore {
    /// For the hosts of this process.
    static let hosts = AsyncSemaphore(48)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        free = count
    }

    /// Waits for a slot, which `leave` frees.
    func enter() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        guard !waiting.isEmpty else {
            free += 1
            return
        }
        waiting.removeFirst().resume()
    }
}
