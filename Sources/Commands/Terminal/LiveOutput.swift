import Foundation
import Glibc
import Host
import Text

/// Lines of a terminal that are drawn again in place, on its alternate screen.
///
/// Each drawing is one write without erasing first, so that nothing flickers. Keys are not echoed
/// meanwhile. `close()` shows what was there before.
struct LiveScreen {
    private static let open = "\u{1B}[?1049h\u{1B}[?25l"
    private static let close = "\u{1B}[?25h\u{1B}[?1049l"
    // Terminals that support mode 2026 show a drawing only when it is complete.
    private static let begin = "\u{1B}[?2026h\u{1B}[H"
    private static let end = "\u{1B}[J\u{1B}[?2026l"
    private static let eraseRest = "\u{1B}[K"

    private let console: Console
    private var savedMode: termios?

    /// - Returns: `nil` if the output is not a terminal that can be drawn on.
    init?(_ console: Console) {
        guard console.canDraw else { return nil }
        self.console = console
        var mode = termios()
        // In a background process group, changing the mode would stop the process.
        if tcgetpgrp(console.output) == getpgrp(), tcgetattr(console.output, &mode) == 0 {
            savedMode = mode
            mode.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(console.output, TCSANOW, &mode)
        }
        console.write(Self.open)
    }

    /// The usable columns, without the last one, where terminals differ in erasing; and the rows.
    var size: (columns: Int, rows: Int) {
        let size = TerminalDevice.size(of: console.output) ?? (80, 24)
        return (max(1, size.columns - 1), max(1, size.rows))
    }

    /// Draws lines; those that do not fit are cut.
    func draw(_ lines: [String]) {
        let (columns, rows) = size
        let shown = lines.prefix(rows).map {
            $0.shortened(toColumns: columns) + Self.eraseRest
        }
        console.write(Self.begin + shown.joined(separator: "\n") + Self.end)
    }

    func close() {
        console.write(Self.close)
        // Discards keys that were typed meanwhile.
        if var mode = savedMode { tcsetattr(console.output, TCSAFLUSH, &mode) }
    }
}

/// A line below the results on a terminal, which is drawn again after each of them.
struct StatusLine {
    private static let erase = "\r\u{1B}[K"

    let console: Console

    /// - Returns: `nil` if the output is not a terminal that can be drawn on.
    init?(_ console: Console) {
        guard console.canDraw else { return nil }
        self.console = console
    }

    /// Prints lines of results above the line.
    func print(_ lines: [String], status: String) {
        let columns = max(1, (console.columns ?? 80) - 1)
        console.write(
            Self.erase + lines.map { $0 + "\n" }.joined() + status.shortened(toColumns: columns))
    }

    /// Erases the line.
    func end() {
        console.write(Self.erase)
    }
}

extension Console {
    /// The columns of the terminal; `nil` if the output is not a terminal.
    var columns: Int? { TerminalDevice.size(of: output)?.columns }

    /// Whether the output is a terminal with a cursor that can be moved.
    var canDraw: Bool {
        let terminal = ProcessInfo.processInfo.environment["TERM"] ?? ""
        return isatty(output) == 1 && !["", "dumb"].contains(terminal)
    }

    /// Whether the output can still be read: `false` after the other end of a pipe was closed.
    var isOpen: Bool {
        var descriptor = pollfd(fd: output, events: 0, revents: 0)
        return poll(&descriptor, 1, 0) <= 0 || descriptor.revents & Int16(POLLERR | POLLHUP) == 0
    }

    /// Prints a table; on a terminal it fits its width.
    func print(_ table: Table) {
        table.lines(columns: columns).forEach(print)
    }

    /// Writes without a line break.
    fileprivate func write(_ text: String) {
        gate.write(text, to: output)
    }
}

extension HostSession {
    private static let outputInterval = Duration.milliseconds(500)

    /// Runs `body` until it returns, until Ctrl-C or SIGTERM, or until nothing reads the output any more.
    ///
    /// - Throws: what `body` throws before that.
    func follow(
        _ console: Console, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let signals = await interruptions.listen()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask { for await _ in signals { return } }
            group.addTask {
                while console.isOpen, (try? await Task.sleep(for: Self.outputInterval)) != nil {}
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
