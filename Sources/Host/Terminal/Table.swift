import Auth
import Text

/// Columns of text, each as wide as its widest cell.
struct Table {
    private static let cellLimit = 60
    /// Of the last column, beside which nothing has to line up.
    private static let lastCellLimit = 240

    private var rows: [[String]]

    init(_ header: String...) {
        self.init(header)
    }

    init(_ header: [String]) {
        rows = [header]
    }

    /// Cells may hold text from outside: they are escaped and cut.
    mutating func add(_ cells: String...) {
        add(cells)
    }

    mutating func add(_ cells: [String]) {
        rows.append(
            cells.enumerated().map { index, cell in
                let isLast = index == cells.count - 1
                return cell.escapedForDisplay(limit: isLast ? Self.lastCellLimit : Self.cellLimit)
            })
    }

    var isEmpty: Bool { rows.count == 1 }

    /// The lines, the header first, without spaces at their ends.
    var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
