import Foundation
import Glibc

extension Program {
    /// Waits for its end, in any number of threads and as often as one likes.
    ///
    /// Whoever it has started itself is not waited for.
    ///
    /// - Returns: the exit code; 128 and the signal when a signal ended it.
    /// - Throws: ``Failure`` with its name and its arguments when it takes longer; then it is killed.
    @discardableResult
    public func wait(atMost limit: Duration = .seconds(300)) throws -> Int32 {
        switch try ending(atMost: limit) {
        case .exit(let code): code
        case .signal(let number): 128 + number
        }
    }

    /// The same without a thread that others need; it is killed when the task is cancelled.
    @discardableResult
    public func wait(atMost limit: Duration = .seconds(300)) async throws -> Int32 {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try self.wait(atMost: limit) })
                }
            }
        } onCancel: {
            signal(SIGKILL)
        }
    }

    /// Waits for its end, and tells an exit code from a signal.
    ///
    /// - Throws: ``Failure`` as for the other ways to wait.
    public func ending(atMost limit: Duration = .seconds(300)) throws -> Ending {
        guard hasEnded(within: limit) else {
            end()
            throw Failure(description: "\(line) did not end within \(limit)")
        }
        var information = siginfo_t()
        // It is left as it is: its number and that of its group stay its own.
        let flags = WEXITED | WNOWAIT | WNOHANG
        guard waitid(P_PID, id_t(pid), &information, flags) == 0, information.si_signo == SIGCHLD
        else { throw Failure(description: "\(line) was waited for elsewhere") }
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

    /// As `poll` takes them, and never too few.
    static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { return 0 }
        let (seconds, rest) = left.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1000 + rest / 1_000_000_000_000_000 + 1)
    }
}
