import Foundation
import Host
import Synchronization

/// Displays the progress of an operation that takes longer than two seconds.
///
/// It is one line that is overwritten and finally erased, and is displayed on terminals only.
final class ProgressLine: Sendable {
    /// The unit of progress.
    enum Measure {
        case share
        case bytes
        /// Seconds, of an operation whose progress is not known.
        case seconds
    }

    private static let delay = Duration.seconds(2)
    private static let interval = Duration.milliseconds(200)
    private static let width = 24

    private let title: String
    private let measure: Measure
    private let isShown: Bool
    private let start = ContinuousClock.now
    /// When the line was last written; `nil` if it is not displayed.
    private let written = Mutex<ContinuousClock.Instant?>(nil)

    init(_ title: String, _ console: Console, measure: Measure = .share) {
        self.title = title
        self.measure = measure
        isShown = Console.messagesAreTerminal && !console.isJSON
    }

    /// - Parameter total: the expected total, if known; it may be wrong.
    func show(_ done: Int, of total: Int?) {
        let now = ContinuousClock.now
        guard isShown, now - start > Self.delay else { return }
        written.withLock { last in
            if let last, now - last < Self.interval { return }
            last = now
            Console.sayInLine("\r\u{1B}[K\(title) \(Self.text(done, of: total, measure))")
        }
    }

    /// Shows the seconds that an operation takes.
    static func during<T: Sendable>(
        _ title: String, _ console: Console, _ body: @Sendable () async throws -> T
    ) async throws -> T {
        let progress = ProgressLine(title, console, measure: .seconds)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while true {
                    try await Task.sleep(for: .milliseconds(500))
                    let seconds = (ContinuousClock.now - progress.start) / .seconds(1)
                    progress.show(Int(seconds), of: nil)
                }
            }
            let result: Result<T, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            group.cancelAll()
            while await group.nextResult() != nil {}
            progress.end()
            return try result.get()
        }
    }

    /// Erases the line.
    func end() {
        written.withLock { last in
            if last != nil { Console.sayInLine("\r\u{1B}[K") }
            last = nil
        }
    }

    static func text(_ done: Int, of total: Int?, _ measure: Measure) -> String {
        let amount =
            switch measure {
            case .share: "\(done)"
            case .bytes: Format.bytes(Double(done))
            case .seconds: "… \(done) s"
            }
        guard let total, total > 0, done <= total else { return amount }
        let share = Double(done) / Double(total)
        let full = Int(share * Double(width))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
        let percent = "[\(bar)] \(Int(share * 100)) %"
        return measure == .bytes
            ? "\(percent)  \(amount) of \(Format.bytes(Double(total)))" : percent
    }
}

/// Asks for confirmation of an operation that cannot be undone.
struct Confirmation {
    /// The consequences of the operation.
    let lines: [String]
    /// A question such as `Remove it?`.
    let question: String
    /// The message if it is not confirmed, without a full stop.
    let refusal: String
    /// How to do it without confirmation.
    let hint: String

    /// - Throws: `noPermission` without a terminal, or if the answer is not yes.
    func ask(_ console: Console) throws {
        guard Console.inputIsTerminal, Console.messagesAreTerminal else {
            throw CommandFailure(
                .noPermission, "\(refusal): confirmation requires a terminal.", hint: hint,
                type: "not-confirmed")
        }
        lines.forEach(console.say)
        Console.sayInLine("\(question) [y/N] ")
        guard ["y", "yes"].contains(readLine()?.lowercased()) else {
            throw CommandFailure(.noPermission, "\(refusal).", type: "not-confirmed")
        }
    }
}
