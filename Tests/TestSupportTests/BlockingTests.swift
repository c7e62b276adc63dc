import Glibc
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BlockingTests {
    private final class State: Sendable {
        let isOver = Mutex(false)
        let blocked = Mutex(0)
    }

    @Test(.blocking) func `tests that block leave the threads of the pool to others`() async {
        let state = State()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    state.blocked.withLock { $0 += 1 }
                    while !state.isOver.withLock({ $0 }) { usleep(1_000) }
                }
            }
            // Every one has a thread, and the pool still runs a task.
            while state.blocked.withLock({ $0 }) < 32 { usleep(1_000) }
            await Task {}.value
            state.isOver.withLock { $0 = true }
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
