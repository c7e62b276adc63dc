import CFiles
import Glibc
import Logging

/// How urgent a line of the log is, with the numbers of syslog(3).
package enum LogSeverity: Int, Sendable {
    case critical = 2
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    init(_ level: Logger.Level) {
        self =
            switch level {
            case .trace, .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            case .critical: .critical
            }
    }

    var level: Logger.Level {
        switch self {
        case .critical: .critical
        case .error: .error
        case .warning: .warning
        case .notice: .notice
        case .info: .info
        case .debug: .debug
        }
    }

    /// What a line on standard error begins with: `<3>` if systemd's journal reads it, and
    /// otherwise nothing.
    ///
    /// The journal removes it; see sd-daemon(3).
    package var prefix: String { Self.isRead ? "<\(rawValue)>" : "" }

    private static let isRead = isJournal(
        descriptor: 2, stream: getenv("JOURNAL_STREAM").map { String(cString: $0) })

    /// Whether a descriptor is the connection to the journal that systemd gave to this process.
    ///
    /// - Parameter stream: the environment variable `JOURNAL_STREAM`. It alone is no proof, because child
    ///   processes inherit it even if their descriptors are not connected to the journal.
    static func isJournal(descriptor: Int32, stream: String?) -> Bool {
        let numbers = stream?.split(separator: ":").map { UInt64($0) }
        guard let numbers, numbers.count == 2, let device = numbers[0], let inode = numbers[1]
        else {
            return false
        }
        return nervous_is_open_on(descriptor, device, inode)
    }
}
