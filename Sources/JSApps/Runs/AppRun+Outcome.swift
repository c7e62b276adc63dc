import Glibc
import RunnerProtocol

extension AppRun {
    /// How the run ended: the verdict that stands, or what the end of its process tells.
    func outcome(_ ending: ProcessEnding) -> RunOutcome {
        // The engine meets the end of memory with an exception, or with a crash where it has none to
        // throw. A table that doubles, and others beside it, may fail long before all is in use.
        let isFull =
            isReady && ending.peakMemory - memoryAtStart > configuration.budget.memory / 8
        if case .finished(let code) = verdict, code != 0, hasRunOut, isFull {
            return .exceeded(.memory)
        }
        if let verdict { return verdict }
        switch ending.kind {
        case .signalled(SIGSYS): return .sandboxViolation
        case .signalled(SIGXCPU): return .exceeded(.cpu)
        // Where the first signal was not heeded, the second is.
        case .signalled(SIGKILL) where ending.cpu >= configuration.budget.cpu:
            return .exceeded(.cpu)
        case .signalled(let signal):
            return isFull ? .exceeded(.memory) : .crashed(signal: signal)
        case .exited(RunnerExit.turn) where isReady: return .exceeded(.turn)
        case .exited(RunnerExit.turnCPU) where isReady: return .exceeded(.turnCPU)
        case .exited(let code):
            return isReady
                ? .protocolViolation("it ended with \(code) and without a word")
                : .failedToStart(process.complaint())
        }
    }
}
