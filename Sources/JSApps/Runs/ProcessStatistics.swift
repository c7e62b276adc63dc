import Foundation
import Glibc

/// What the kernel counts of a process that runs.
///
/// Source: proc_pid_stat(5), fields 14, 15 and 24.
struct ProcessStatistics {
    let cpu: Duration
    /// Bytes.
    let resident: Int

    init?(of pid: pid_t) {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else {
            return nil
        }
        self.init(text)
    }

    init?(_ text: String) {
        // The name may hold anything, also parentheses: what follows the last one counts.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].split(separator: " ").dropFirst().map { Int($0) }
        guard fields.count > 21, let user = fields[11], let system = fields[12],
            let pages = fields[21]
        else { return nil }
        let ticks = max(1, sysconf(Int32(_SC_CLK_TCK)))
        cpu = .milliseconds((user + system) * 1000 / ticks)
        resident = pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
