/// Input and output at a terminal during one prompt.
struct Dialogue {
    /// Why a prompt has no answer.
    enum End: Error {
        /// The input ended, or the terminal disconnected.
        case noAnswer
        /// Three answers were not valid.
        case invalid
        /// Ctrl-C, which ends the command.
        case interrupted
    }

    let terminal: TerminalDevice
    /// The usable columns, without the last one, where terminals differ in wrapping.
    let columns: Int
    let rows: Int

    private var keys: AsyncStream<[UInt8]>.Iterator
    private var rest: ArraySlice<UInt8> = []

    init(_ terminal: TerminalDevice) {
        self.terminal = terminal
        (columns, rows) = (terminal.size.columns - 1, terminal.size.rows)
        keys = terminal.keys.makeAsyncIterator()
    }

    func say(_ lines: [String]) {
        for line in lines { terminal.write(line + "\n") }
    }

    /// Prints a prompt and reads a line.
    mutating func ask(_ prompt: String) async throws(End) -> String {
        terminal.write(prompt)
        var editor = LineEditor()
        while true {
            while let byte = rest.popFirst() {
                switch editor.take(byte) {
                case .nothing: break
                case .echo(let text): terminal.write(text)
                case .line(let line):
                    terminal.write("\n")
                    return line
                case .end:
                    terminal.write("\n")
                    throw .noAnswer
                case .interrupted:
                    terminal.write("\n")
                    throw .interrupted
                }
            }
            guard let bytes = await keys.next() else { throw .noAnswer }
            rest = bytes[...]
        }
    }

    /// Prints text that may be longer than the terminal, page by page.
    mutating func page(_ lines: [String]) async throws(End) {
        var left = lines[...]
        while left.count > rows - 1 {
            say(Array(left.prefix(rows - 1)))
            left = left.dropFirst(rows - 1)
            _ = try await ask("-- more: Enter -- ")
        }
        say(Array(left))
    }
}

/// Edits a line from the keys of a terminal in raw mode.
///
/// Only printable ASCII is accepted. Escape sequences, such as those of arrow keys or responses to
/// queries, are ignored, and a line that ends within one is invalid.
struct LineEditor {
    static let limit = 64

    /// The effect of a key.
    enum Event: Hashable {
        case nothing
        /// Text to print.
        case echo(String)
        case line(String)
        /// End of input.
        case end
        case interrupted
    }

    private enum Escape {
        case none
        /// After the escape character.
        case begun
        /// Within a control sequence, which ends with a letter.
        case sequence
        /// Within a control string, which ends with its terminator.
        case string
    }

    /// The value of an invalid line.
    static let invalid = "\u{FFFD}"
    private static let stringStarts = Array("]PX^_".utf8)

    private var text = ""
    private var escape = Escape.none
    private var isInvalid = false

    /// Whether a key interrupts the command: Ctrl-C and Ctrl-\.
    static func interrupts(_ byte: UInt8) -> Bool { byte == 0x03 || byte == 0x1C }

    mutating func take(_ byte: UInt8) -> Event {
        switch byte {
        case _ where Self.interrupts(byte): return .interrupted
        case 0x04 where text.isEmpty: return .end
        case 0x0A, 0x0D:
            let line = isInvalid || escape != .none ? Self.invalid : text
            self = LineEditor()
            return .line(line)
        default: break
        }
        guard escape == .none, byte != 0x1B else {
            follow(byte)
            return .nothing
        }
        switch byte {
        case 0x08, 0x7F:
            guard !text.isEmpty else { return .nothing }
            text.removeLast()
            return .echo("\u{8} \u{8}")
        case 0x15:
            defer { text = "" }
            return .echo(String(repeating: "\u{8} \u{8}", count: text.utf8.count))
        case 0x20...0x7E where text.utf8.count < Self.limit:
            let character = String(UnicodeScalar(byte))
            text += character
            return .echo(character)
        default:
            isInvalid = isInvalid || byte > 0x7F
            return .nothing
        }
    }

    private mutating func follow(_ byte: UInt8) {
        switch (escape, byte) {
        case (_, 0x1B): escape = .begun
        case (.begun, UInt8(ascii: "[")), (.begun, UInt8(ascii: "O")): escape = .sequence
        case (.begun, _): escape = Self.stringStarts.contains(byte) ? .string : .none
        case (.sequence, 0x40...0x7E), (.string, 0x07): escape = .none
        default: break
        }
    }
}
