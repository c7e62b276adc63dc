import Glibc
import RunnerProtocol

/// Limits the duration of one turn of the app: a script, or a callback with its microtasks.
///
/// The kernel's timers enforce it, whatever the app does. A compromised process could disable them;
/// the host's pings and the limits of the process remain.
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

    /// Excludes the time in which the runner waits for the host.
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
