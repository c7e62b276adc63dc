import Glibc

/// How a process ended and what it used.
struct ProcessEnding: Hashable {
    enum Kind: Hashable {
        case exited(Int32)
        case signalled(Int32)
    }

    let kind: Kind
    /// Processor time, of all its threads.
    let cpu: Duration
    /// The most bytes that were resident at once.
    let peakMemory: Int

    /// - Parameter status: as `wait` gives it.
    init(status: Int32, cpu: Duration, peakMemory: Int) {
        let signal = status & 0x7F
        kind = signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
        self.cpu = cpu
        self.peakMemory = peakMemory
    }

    /// What is known when whoever waited for it is gone as well.
    static let unknown = ProcessEnding(status: SIGKILL, cpu: .zero, peakMemory: 0)
}
