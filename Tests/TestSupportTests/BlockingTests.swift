import Glibc
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BlockingTests {
    @Test(.blocking) func `tests that block leave the threads of the pool to others`() async {
        let isOver = Mutex(false)
        let blocked = Mutex(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    blocked.withLock { $0 += 1 }
                    while !isOver.withLock({ $0 }) { usleep(1_000) }
                }
            }
            // Every one has a thread, and the pool still runs a task.
            while blocked.withLock({ $0 }) < 32 { usleep(1_000) }
            await Task {}.value
            isOver.withLock { $0 = true }
        }
    }

    @Test(.blocking) func `a thread that may be blocked is not reported`() async throws {
        BlockingExecutor.checkMayBlock("a wait")
        await Task.yield()
        BlockingExecutor.checkMayBlock("a wait after a suspension")
        async let child: Void = BlockingExecutor.checkMayBlock("a wait in a child task")
        await child
    }

    @Test func `a thread of the pool that would be blocked is reported`() {
        withKnownIssue {
            BlockingExecutor.checkMayBlock("a wait")
        } matching: {
            $0.comments.contains { "\($0)".contains("a wait blocks a thread") }
        }
    }
}
