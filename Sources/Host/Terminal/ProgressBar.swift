import Foundation

/// How far something has come, on a terminal, once it takes longer than two seconds.
struct ProgressBar {
    private static let delay = Duration.seconds(2)
    private static let interval = Duration.milliseconds(100)
    private static let width = 24

    private let total: Int?
    private let isOn: Bool
    private var next = ContinuousClock.now + delay
    private var isShown = false

    /// - Parameter total: The bytes that are expected, where somebody said so; it may be a lie.
    init(total: Int?, console: Console) {
        self.total = total
        isOn = Console.talkIsTerminal && !console.isJSON
    }

    mutating func show(_ count: Int) {
        let now = ContinuousClock.now
        guard isOn, now >= next else { return }
        next = now + Self.interval
        isShown = true
        Console.ask("\r\u{1B}[K" + Self.line(count, of: total))
    }

    /// Leaves the line as it was found.
    mutating func clear() {
        if isShown { Console.ask("\r\u{1B}[K") }
        isShown = false
    }

    static func line(_ count: Int, of total: Int?) -> String {
        let size = Format.bytes(Double(count))
        guard let total, total > 0, count <= total else { return size }
        let share = Double(count) / Double(total)
        let full = Int(share * Double(width))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
        return "[\(bar)] \(Int(share * 100)) %  \(size) of \(Format.bytes(Double(total)))"
    }
}
