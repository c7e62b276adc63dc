import Foundation
import Synchronization

/// Says how far something is that takes longer than two seconds: one line on a terminal that is
/// written over and in the end wiped away; nothing elsewhere.
final class ProgressLine: Sendable {
    private static let patience = Duration.seconds(2)
    private static let interval = Duration.milliseconds(200)
    private static let width = 20

    private let title: String
    private let isShown: Bool
    private let start = ContinuousClock.now
    /// When the line was last written; `nil` before the first time.
    private let written = Mutex<ContinuousClock.Instant?>(nil)

    init(_ title: String, _ console: Console) {
        self.title = title
        isShown = Console.talkIsTerminal && !console.isJSON
    }

    func show(_ done: Int, of total: Int) {
        let now = ContinuousClock.now
        guard isShown, total > 0, now - start > Self.patience else { return }
        written.withLock { last in
            if let last, now - last < Self.interval { return }
            last = now
            let filled = min(Self.width, done * Self.width / total)
            let bar =
                String(repeating: "#", count: filled)
                + String(repeating: ".", count: Self.width - filled)
            Console.ask("\r\(title) [\(bar)] \(min(100, done * 100 / total)) %")
        }
    }

    /// Wipes the line away.
    func end() {
        written.withLock { last in
            if last != nil { Console.ask("\r\u{1B}[K") }
            last = nil
        }
    }
}
