import Foundation
import Glibc

extension Program {
    /// Waits for the program to end; any number of times and from any thread.
    ///
    /// Processes that the program has started are not waited for.
    ///
    /// - Returns: the exit code; 128 plus the signal if a signal ended it.
    /// - Throws: ``Failure`` with its name and arguments if it takes longer; it is killed then.
    @discardableResult
    public func wait(atMost limit: Duration = Program.patience) throws -> Int32 {
        switch try ending(atMost: limit) {
        case .exit(let code): code
        case .signal(let number): 128 + number
        }
    }

    /// The same without blocking a thread; the program is killed when the task is cancelled.
    @discardableResult
    public func wait(atMost limit: Duration = Program.patience) async throws -> Int32 {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                BlockingExecutor.run {
                    continuation.resume(with: Result { try self.wait(atMost: limit) })
                }
            }
        } onCancel: {
            signal(SIGKILL)
        }
    }

    /// Waits for the program to end and returns its exit code or the signal that ended it.
    ///
    /// - Throws: ``Failure`` like ``wait(atMost:)``.
    public func ending(atMost limit: Duration = Program.patience) throws -> Ending {
        BlockingExecutor.checkMayBlock("waiting for \(line)")
        guard hasEnded(within: limit) else {
            end()
            throw Failure(description: "\(line) did not end within \(limit)")
        }
        var information = siginfo_t()
        // Not reaped yet, so that its process ID and that of its group are not reused.
        let flags = WEXITED | WNOWAIT | WNOHANG
        guard waitid(P_PID, id_t(pid), &information, flags) == 0, information.si_signo == SIGCHLD
        else { throw Failure(description: "\(line) was reaped elsewhere") }
        let status = information._sifields._sigchld.si_status
        return information.si_code == CLD_EXITED ? .exit(status) : .signal(status)
    }

    func hasEnded(within limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        var entry = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while true {
            if poll(&entry, 1, Self.milliseconds(until: deadline)) > 0 { return true }
            if ContinuousClock.now >= deadline { return false }
        }
    }

    /// The milliseconds until a deadline for `poll`, rounded up.
    static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { return 0 }
        let (seconds, rest) = left.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1000 + rest / 1_000_000_000_000_000 + 1)
    }
}
