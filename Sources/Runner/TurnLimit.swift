import Glibc
import RunnerProtocol

/// Bounds how long one turn of the app may take: a script, or a callback with its microtasks.
///
/// The kernel counts, so that nothing the app does inside a turn puts the end off. A process that has
/// been taken over could lift this; the host's own questions and the limits of the process remain.
struct TurnLimit {
    private var wall = itimerval(milliseconds: 10_000)
    private var cpu = itimerval(milliseconds: 5_000)
    private var none = itimerval(milliseconds: 0)

    init() {
        signal(SIGALRM) { _ in _exit(RunnerExit.turn) }
        signal(SIGPROF) { _ in _exit(RunnerExit.turnCPU) }
    }

    mutating func set(wall: UInt32, cpu: UInt32) {
        self.wall = itimerval(milliseconds: wall)
        self.cpu = itimerval(milliseconds: cpu)
    }

    mutating func begin() {
        setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &wall, nil)
        setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &cpu, nil)
    }

    mutating func end() {
        setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &none, nil)
        setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &none, nil)
    }

    /// Leaves out of the turn the time in which the host does not take what the app says.
    static func pausing<T>(_ body: () -> T) -> T {
        var none = itimerval()
        var rest = itimerval()
        setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &none, &rest)
        defer { setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &rest, nil) }
        return body()
    }
}

extension itimerval {
    fileprivate init(milliseconds: UInt32) {
        let value = timeval(
            tv_sec: Int(milliseconds / 1000), tv_usec: Int(milliseconds % 1000) * 1000)
        self.init(it_interval: timeval(), it_value: value)
    }
}
