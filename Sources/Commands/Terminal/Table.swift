import Text

/// A table with columns as wide as their widest cell, or narrower to fit a terminal.
struct Table {
    /// How columns are treated that do not fit even when they are shortened.
    enum Overflow {
        /// Every row becomes a list of its cells.
        case lists
        /// Columns are omitted, the last ones first.
        case omission
    }

    private static let cellLimit = 60
    /// For the last column, which nothing follows.
    private static let lastCellLimit = 240

    private var rows: [[String]]
    private let overflow: Overflow

    init(_ header: String...) {
        self.init(header)
    }

    init(_ header: [String], overflow: Overflow = .lists) {
        rows = [header.enumerated().map { Self.cell($1, isLast: $0 == header.count - 1) }]
        self.overflow = overflow
    }

    /// Adds a row.
    ///
    /// Cells may contain untrusted text: they are escaped and truncated.
    mutating func add(_ cells: String...) {
        add(cells)
    }

    mutating func add(_ cells: [String]) {
        rows.append(
            cells.enumerated().map { Self.cell($1, isLast: $0 == cells.count - 1) })
    }

    static func cell(_ text: String, isLast: Bool) -> String {
        text.escapedForDisplay(limit: isLast ? lastCellLimit : cellLimit)
    }

    var isEmpty: Bool { rows.count == 1 }

    /// The lines, the header first, without trailing spaces.
    ///
    /// - Parameter limit: the maximum number of columns of a line; `nil` for any number.
    func lines(columns limit: Int?) -> [String] {
        let layout = layout(columns: limit)
        guard let limit, !layout.fits, overflow == .lists else {
            return rows.map(layout.line)
        }
        let header = rows[0]
        let records = rows.dropFirst().map { TableLayout.list(header, $0, columns: limit) }
        return Array(records.joined(separator: [""]))
    }

    /// The headers of the columns that are omitted.
    func omitted(columns limit: Int?) -> [String] {
        let layout = layout(columns: limit)
        guard overflow == .omission else { return [] }
        return Array(rows[0].dropFirst(layout.shown))
    }

    /// The widths of the columns.
    func layout(columns limit: Int?) -> TableLayout {
        TableLayout(rows, columns: limit)
    }
}

/// The widths of the columns of a table.
struct TableLayout {
    private static let gap = 2
    /// Texts are shortened to this many columns first, and further only if the line is still too long.
    private static let readable = 16
    /// The minimum number of columns of a shortened text.
    private static let shortest = 8
    private static let ellipsis = "…"

    private(set) var widths: [Int]
    /// The columns that can be shortened; a shortened number or time would be read as another one.
    private var texts: Set<Int> = []
    /// Whether every column is shown.
    private(set) var fits = true
    /// How many columns are shown.
    private(set) var shown: Int

    /// - Parameters:
    ///   - rows: the header and other rows.
    ///   - limit: the maximum number of columns of a line; `nil` for any number.
    init(_ rows: [[String]], columns limit: Int?) {
        let count = rows.map(\.count).max() ?? 0
        widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].displayColumns : 0 }.max() ?? 0
        }
        shown = count
        guard let limit else { return }
        for row in rows.dropFirst() { note(row) }
        // The first column has the names that other commands take, so it is shortened last.
        shorten(texts.subtracting([0]), to: Self.readable, columns: limit)
        shorten(texts, to: Self.readable, columns: limit)
        shorten(texts, to: Self.shortest, columns: limit)
        omit(columns: limit)
    }

    /// A row, without trailing spaces.
    func line(_ cells: [String]) -> String {
        var line = ""
        for (column, cell) in cells.prefix(shown).enumerated() {
            let isText = texts.contains(column)
            let text = isText ? cell.shortened(toColumns: widths[column]) : cell
            let isLast = column == min(cells.count, widths.count) - 1
            line += text
            if !isLast {
                let rest = max(0, widths[column] - text.displayColumns) + Self.gap
                line += String(repeating: " ", count: rest)
            }
        }
        if shown < widths.count { line += Self.ellipsis }
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// Makes columns wide enough for a row that comes later, as far as the line has room.
    mutating func grow(for cells: [String], columns limit: Int?) {
        note(cells)
        for (column, cell) in cells.enumerated() where column < shown {
            let more = cell.displayColumns - widths[column]
            guard more > 0 else { continue }
            let room = limit.map { $0 - total } ?? more
            widths[column] += max(0, min(more, room))
        }
    }

    /// A row as a list of its cells, for a terminal that is too narrow.
    static func list(_ header: [String], _ cells: [String], columns limit: Int) -> [String] {
        let width = min(header.map(\.displayColumns).max() ?? 0, limit / 2)
        return zip(header, cells).filter { !$1.isEmpty }.map { name, cell in
            let name = name.shortened(toColumns: width)
            let space = String(repeating: " ", count: width - name.displayColumns + Self.gap)
            return name + space + cell.shortened(toColumns: limit - width - Self.gap)
        }
    }

    /// Notes which columns of a row are texts.
    private mutating func note(_ cells: [String]) {
        for (column, cell) in cells.enumerated() where !Self.isMeasure(cell) {
            texts.insert(column)
        }
    }

    private var total: Int {
        let ellipsis = shown < widths.count ? Self.gap + Self.ellipsis.displayColumns : 0
        return widths.prefix(shown).reduce(0, +) + max(0, shown - 1) * Self.gap + ellipsis
    }

    /// Shortens the widest of some columns until the table fits, or none is wider than `least`.
    private mutating func shorten(_ columns: Set<Int>, to least: Int, columns limit: Int) {
        while total > limit {
            let widest = columns.sorted().filter { widths[$0] > least }.max {
                widths[$0] < widths[$1]
            }
            guard let widest else { return }
            widths[widest] -= 1
        }
    }

    private mutating func omit(columns limit: Int) {
        guard total > limit else { return }
        fits = false
        while total > limit, shown > 1 { shown -= 1 }
    }

    /// Whether a cell is a number (perhaps with a unit), a time, a sparkline, `–` or empty.
    private static func isMeasure(_ cell: String) -> Bool {
        guard let first = cell.unicodeScalars.first, cell != "–" else { return true }
        let isBlock = { $0 == " " || Sparkline.scalars.contains($0) } as (Unicode.Scalar) -> Bool
        if cell.unicodeScalars.allSatisfy(isBlock) { return true }
        let isNegative = first == "-"
        let digit = isNegative ? cell.unicodeScalars.dropFirst().first : first
        return digit.map { ("0"..."9").contains($0) } ?? false
    }
}

/// A table whose rows are printed as they come.
struct TableRows {
    private let header: [String]
    private let console: Console
    private var layout: TableLayout?

    init(_ header: [String], _ console: Console) {
        (self.header, self.console) = (header, console)
    }

    /// Prints rows, the header before the first one; the first rows determine the widths.
    ///
    /// Cells may contain untrusted text: they are escaped and truncated.
    mutating func print(_ rows: [[String]]) {
        guard !rows.isEmpty else { return }
        let limit = console.columns
        let cells = rows.map { row in
            row.enumerated().map { Table.cell($1, isLast: $0 == row.count - 1) }
        }
        var layout = self.layout ?? TableLayout([header] + cells, columns: limit)
        let isFirst = self.layout == nil
        if let limit, !layout.fits {
            let lists = cells.map { TableLayout.list(header, $0, columns: limit) + [""] }
            lists.joined().forEach(console.print)
        } else {
            if isFirst { console.print(layout.line(header)) }
            for row in cells {
                layout.grow(for: row, columns: limit)
                console.print(layout.line(row))
            }
        }
        self.layout = layout
    }
}
