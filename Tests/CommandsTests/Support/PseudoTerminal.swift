import Foundation
import Glibc
import TestSupport

/// A program at its own pseudo-terminal, controlled by a test.
final class PseudoTerminal {
    private let master: Int32
    private let program: Program
    private var screen: [UInt8] = []
    private var seen = 0

    // ioctl_tty(2), which the Glibc module lacks.
    private static let unlock: UInt = 0x4004_5431
    private static let numberOf: UInt = 0x8004_5430

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(
        _ program: String, _ arguments: [String], environment: [String: String],
        rows: UInt16 = 24, columns: UInt16 = 80
    ) throws {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        let number: Int32
        (master, number) = try Self.openMaster(&size)
        do {
            self.program = try Program(
                program, arguments, environment: environment, terminal: "/dev/pts/\(number)")
        } catch {
            close(master)
            throw error
        }
    }

    deinit {
        program.end()
        close(master)
    }

    /// The controlling side of a new terminal, and its path.
    static func openMaster(_ size: inout winsize) throws -> (master: Int32, number: Int32) {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var number: Int32 = 0
        var lock: Int32 = 0
        guard master >= 0, ioctl(master, unlock, &lock) == 0, ioctl(master, numberOf, &number) == 0
        else { throw Failure(description: "no pseudo-terminal") }
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
        return (master, number)
    }

    /// All output, unchanged.
    var bytes: [UInt8] { screen }

    /// Sends the program a signal.
    func signal(_ signal: Int32) {
        program.signal(signal)
    }

    /// Everything that the terminal has shown, without carriage returns.
    var text: String {
        String(decoding: screen.filter { $0 != 0x0D }, as: UTF8.self)
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// Reads until `text` occurs after the previously awaited text.
    func await(_ text: String, atMost limit: Duration = Program.patience) throws {
        let wanted = Array(text.utf8)
        let deadline = ContinuousClock.now + limit
        while true {
            if let end = Self.end(of: wanted, in: screen, from: seen) {
                seen = end
                return
            }
            guard try read(until: deadline) else {
                throw Failure(description: "“\(text)” did not come; the screen:\n\(self.text)")
            }
        }
    }

    /// Reads to the end of the program.
    ///
    /// - Returns: its exit code; 128 and the signal when a signal ended it.
    func finish(atMost limit: Duration = Program.patience) throws -> Int32 {
        let deadline = ContinuousClock.now + limit
        while try read(until: deadline) {}
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero, let code = try? program.wait(atMost: left) else {
            throw Failure(description: "it did not end; the screen:\n\(text)")
        }
        return code
    }

    /// - Returns: `false` when the program has closed the terminal or the time is over.
    private func read(until deadline: ContinuousClock.Instant) throws -> Bool {
        BlockingExecutor.checkMayBlock("reading a terminal")
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { return false }
        var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        let milliseconds = left.components.seconds * 1000 + 1
        guard Glibc.poll(&poll, 1, Int32(clamping: milliseconds)) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(master, &buffer, buffer.count)
        guard count > 0 else { return false }
        screen += buffer.prefix(count)
        return true
    }

    private static func end(of wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= start + wanted.count else { return nil }
        for index in start...(bytes.count - wanted.count)
        where bytes[index..<(index + wanted.count)].elementsEqual(wanted) {
            return index + wanted.count
        }
        return nil
    }
}

extension Sandbox {
    /// Runs `nervous` at a terminal.
    func terminal(_ arguments: String...) throws -> PseudoTerminal {
        try terminal(arguments)
    }

    /// Runs `nervous` at a terminal of a given size.
    func terminal(
        _ arguments: [String], columns: Int = 80, rows: Int = 24
    ) throws -> PseudoTerminal {
        try PseudoTerminal(
            Binary.nervous, arguments, environment: environment, rows: UInt16(rows),
            columns: UInt16(columns))
    }
}
