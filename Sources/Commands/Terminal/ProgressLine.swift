import Foundation
import Host
import Synchronization

/// Says how far something is that takes longer than two seconds.
///
/// It is one line on a terminal that is written over and in the end wiped away; nothing elsewhere.
final class ProgressLine: Sendable {
    /// What is counted.
    enum Measure {
        case share
        case bytes
    }

    private static let patience = Duration.seconds(2)
    private static let interval = Duration.milliseconds(200)
    private static let width = 24

    private let title: String
    private let measure: Measure
    private let isShown: Bool
    private let start = ContinuousClock.now
    /// When the line was last written; `nil` before the first time.
    private let written = Mutex<ContinuousClock.Instant?>(nil)

    init(_ title: String, _ console: Console, measure: Measure = .share) {
        self.title = title
        self.measure = measure
        isShown = Console.talkIsTerminal && !console.isJSON
    }

    /// - Parameter total: what is expected, where somebody said so; it may be a lie.
    func show(_ done: Int, of total: Int?) {
        let now = ContinuousClock.now
        guard isShown, now - start > Self.patience else { return }
        written.withLock { last in
            if let last, now - last < Self.interval { return }
            last = now
            Console.sayInLine("\r\u{1B}[K\(title) \(Self.text(done, of: total, measure))")
        }
    }

    /// Wipes the line away.
    func end() {
        written.withLock { last in
            if last != nil { Console.sayInLine("\r\u{1B}[K") }
            last = nil
        }
    }

    static func text(_ done: Int, of total: Int?, _ measure: Measure) -> String {
        let amount = measure == .bytes ? Format.bytes(Double(done)) : "\(done)"
        guard let total, total > 0, done <= total else { return amount }
        let share = Double(done) / Double(total)
        let full = Int(share * Double(width))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
        let percent = "[\(bar)] \(Int(share * 100)) %"
        return measure == .bytes
            ? "\(percent)  \(amount) of \(Format.bytes(Double(total)))" : percent
    }
}

/// Asks a person whether something is to be done that nobody should do by mistake.
struct Confirmation {
    /// What will happen.
    let lines: [String]
    /// Such as `Remove it?`, a question.
    let question: String
    /// What is said when it is not done, without a full stop.
    let refusal: String
    /// What does it without a question.
    let hint: String

    /// - Throws: `noPermission` when nobody can be asked, or nobody said yes.
    func ask(_ console: Console) throws {
        guard Console.inputIsTerminal, Console.talkIsTerminal else {
            throw CommandFailure(
                .noPermission, "\(refusal): nobody can be asked here.", hint: hint,
                type: "not-confirmed")
        }
        lines.forEach(console.say)
        Console.sayInLine("\(question) [y/N] ")
        guard ["y", "yes"].contains(readLine()?.lowercased()) else {
            throw CommandFailure(.noPermission, "\(refusal).", type: "not-confirmed")
        }
    }
}
