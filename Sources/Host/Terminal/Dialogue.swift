/// What is said and typed at a terminal while one question stands.
struct Dialogue {
    /// Why there is no answer.
    enum End: Error {
        /// The input ended, the terminal went away, or nothing typed was an answer.
        case nobody
        /// The person wants the whole command to end.
        case interrupted
    }

    let terminal: TerminalDevice
    /// Columns that may be used: the last one is left free, where terminals differ about wrapping.
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

    /// A line that the person types after a prompt.
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
                    throw .nobody
                case .interrupted:
                    terminal.write("\n")
                    throw .interrupted
                }
            }
            guard let bytes = await keys.next() else { throw .nobody }
            rest = bytes[...]
        }
    }

    /// Says what may be longer than the terminal, a screen at a time.
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
