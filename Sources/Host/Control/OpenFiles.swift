import Glibc

/// How many files and connections this process may have open.
enum OpenFiles {
    /// Takes as many as the machine allows: a thousand, which many sessions begin with, is what idle
    /// connections alone could use up.
    ///
    /// Does nothing where that is refused: fewer connections then find room.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
