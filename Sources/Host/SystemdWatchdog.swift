import Glibc
import Logging
import Scheduling
import ServiceLifecycle
import Synchronization

/// Notifies systemd that the host works, for as long as all of its parts answer.
///
/// systemd ends and restarts a service that is silent for `WatchdogSec`. The watchdog asks all parts at
/// intervals of half this time. If one has not answered when the next interval begins, nothing is sent, and
/// the log names the silent parts.
struct SystemdWatchdog: Service {
    /// A part of the host, and something that it does only while it works.
    struct Part: Sendable {
        let name: String
        let answer: @Sendable () async -> Void
    }

    private let interval: Duration
    private let parts: [Part]
    private let notifier: SystemdNotifier
    private let time: any TimeSource
    private let logger: Logger
    private let silent = SilentParts()

    /// - Parameter environment: of this process.
    /// - Returns: `nil` if systemd does not watch this process.
    init?(
        _ parts: [Part], environment: [String: String], time: any TimeSource = .system,
        logger: Logger
    ) {
        guard let limit = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), limit > 1,
            // A program that a watched service starts inherits its environment.
            environment["WATCHDOG_PID"].map({ $0 == "\(getpid())" }) ?? true
        else { return nil }
        interval = .microseconds(limit / 2)
        notifier = SystemdNotifier(environment: environment)
        (self.parts, self.time, self.logger) = (parts, time, logger)
    }

    /// The names of the parts that were asked and have not answered yet.
    var silentParts: [String] { silent.names }

    func run() async throws {
        await cancelWhenGracefulShutdown { await watch() }
    }

    /// Watches until the task is cancelled.
    func watch() async {
        await withDiscardingTaskGroup { tasks in
            var isReported = false
            repeat {
                let names = silent.names
                guard names.isEmpty else {
                    if !isReported {
                        logger.error(
                            "\(names.joined(separator: ", ")) did not answer for \(interval)")
                    }
                    isReported = true
                    continue
                }
                isReported = false
                notifier.notifyWatchdog()
                for part in parts {
                    silent.ask(part.name)
                    tasks.addTask {
                        await part.answer()
                        silent.noteAnswer(of: part.name)
                    }
                }
            } while (try? await time.sleep(for: interval)) != nil
        }
    }
}

/// The parts that were asked and have not answered.
private final class SilentParts: Sendable {
    private let asked = Mutex<Set<String>>([])

    var names: [String] { asked.withLock { $0.sorted() } }

    func ask(_ name: String) { asked.withLock { _ = $0.insert(name) } }

    func noteAnswer(of name: String) { asked.withLock { _ = $0.remove(name) } }
}
