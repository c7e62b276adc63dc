/// A small terminal emulator: the visible text, and the received control characters.
///
/// It wraps, scrolls, and executes the movements and erasures of ECMA-48, so that unescaped text
/// is detected.
struct Screen {
    /// The width of characters beyond ASCII, in which terminals differ.
    enum Width {
        case narrow, wide
    }

    let columns: Int
    let rows: Int
    private let width: Width
    private(set) var cursor = (row: 0, column: 0)
    /// Received control characters other than line feed and carriage return.
    private(set) var controls: [Unicode.Scalar] = []
    /// Lines that were scrolled out at the top.
    private(set) var scrolled: [String] = []
    private var cells: [[Character]]
    /// What the alternate screen hides; `nil` while it is not shown.
    private var hidden: [[Character]]?
    private var sequence: [Unicode.Scalar]?

    init(columns: Int, rows: Int, width: Width) {
        (self.columns, self.rows, self.width) = (columns, rows, width)
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// The visible lines, without trailing spaces.
    var lines: [String] { cells.map(Self.text) }

    private static func text(_ row: [Character]) -> String {
        String(String(row).reversed().drop { $0 == " " }.reversed())
    }

    mutating func show(_ bytes: [UInt8]) {
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars { show(scalar) }
    }

    private mutating func show(_ scalar: Unicode.Scalar) {
        if var parts = sequence {
            parts.append(scalar)
            sequence = parts
            execute(parts)
            return
        }
        switch scalar {
        case "\n": feed()
        case "\r": cursor.column = 0
        default:
            guard scalar.properties.generalCategory == .control else { return put(scalar) }
            controls.append(scalar)
            switch scalar.value {
            case 0x08: cursor.column = max(0, cursor.column - 1)
            case 0x09: cursor.column = min(columns - 1, (cursor.column / 8 + 1) * 8)
            case 0x0B, 0x0C, 0x84, 0x85: feed()
            case 0x8D: cursor.row = max(0, cursor.row - 1)
            case 0x1B: sequence = []
            case 0x9B: sequence = ["["]
            default: break
            }
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        let isMark = scalar.properties.generalCategory == .nonspacingMark
        let size = scalar.isASCII ? 1 : width == .wide ? 2 : isMark ? 0 : 1
        guard size > 0 else { return }
        if cursor.column + size > columns {
            cursor.column = 0
            feed()
        }
        cells[cursor.row][cursor.column] = Character(scalar)
        cursor.column += size
    }

    private mutating func feed() {
        guard cursor.row == rows - 1 else {
            cursor.row += 1
            return
        }
        scrolled.append(Self.text(cells.removeFirst()))
        cells.append(Array(repeating: " ", count: columns))
    }

    /// Executes a complete sequence; unknown ones are ignored.
    private mutating func execute(_ parts: [Unicode.Scalar]) {
        guard let first = parts.first, let last = parts.last else { return }
        guard first == "[" else {
            let isString = "]PX^_".unicodeScalars.contains(first)
            if !isString || last.value == 0x07 || last == "\\" { sequence = nil }
            if first == "M" { cursor.row = max(0, cursor.row - 1) }
            return
        }
        guard parts.count > 1, (0x40...0x7E).contains(last.value) else { return }
        sequence = nil
        let text = String(String.UnicodeScalarView(parts.dropFirst().dropLast()))
        let numbers = text.split(separator: ";").compactMap { Int($0) }
        let count = max(1, numbers.first ?? 1)
        switch last {
        case "A": cursor.row = max(0, cursor.row - count)
        case "B": cursor.row = min(rows - 1, cursor.row + count)
        case "D": cursor.column = max(0, cursor.column - count)
        case "H", "f":
            cursor = (
                min(rows, count) - 1, min(columns, max(1, numbers.dropFirst().first ?? 1)) - 1
            )
        case "K": erase(numbers.first ?? 0)
        case "J":
            let mode = numbers.first ?? 0
            erase(mode)
            let others = mode == 0 ? cursor.row + 1..<rows : mode == 1 ? 0..<cursor.row : 0..<rows
            for row in others { cells[row] = Array(repeating: " ", count: columns) }
        case "h" where text == "?1049":
            hidden = cells
            cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        case "l" where text == "?1049":
            cells = hidden ?? cells
            hidden = nil
        default: break
        }
    }

    /// Erases the line of the cursor: from the cursor on (0), up to it (1), or all of it (2).
    private mutating func erase(_ mode: Int) {
        let erased = [cursor.column..<columns, 0..<min(columns, cursor.column + 1), 0..<columns]
        for column in erased[min(max(0, mode), 2)] { cells[cursor.row][column] = " " }
    }

    /// Whether the alternate screen is shown.
    var isAlternate: Bool { hidden != nil }
}
