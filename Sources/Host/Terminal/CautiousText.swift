import Auth

/// Lines that no terminal shows wider than meant.
///
/// Terminals disagree about how wide characters beyond ASCII are, so each scalar counts as the two
/// columns that it takes at most. A stranger's text can then never wrap to the start of a line.
enum CautiousText {
    /// A stranger's text: escaped, broken after `width` columns, and cut after some lines.
    ///
    /// - Parameter width: of the first line; further ones have the same.
    static func lines(of text: String, width: Int, atMost count: Int) -> [String] {
        var lines: [String] = []
        var (line, columns) = ("", 0)
        for character in text.escapedForDisplay(limit: width * count) {
            let more = Self.columns(of: String(character))
            if columns + more > width {
                guard lines.count < count - 1 else {
                    return lines + [cut(line + "…", width: width)]
                }
                lines.append(line)
                (line, columns) = ("", 0)
            }
            line.append(character)
            columns += more
        }
        return lines + [line]
    }

    /// The same in one line.
    static func line(of text: String, width: Int) -> String {
        lines(of: text, width: width, atMost: 1)[0]
    }

    /// A word as pieces that each fit a line.
    private static func pieces(of word: Substring, width: Int) -> [String] {
        var pieces: [String] = []
        var (piece, columns) = ("", 0)
        for character in word {
            let more = Self.columns(of: String(character))
            if columns + more > width {
                pieces.append(piece)
                (piece, columns) = ("", 0)
            }
            piece.append(character)
            columns += more
        }
        return pieces + [piece]
    }

    /// A text that is safe already, cut where it is too wide.
    static func cut(_ text: String, width: Int) -> String {
        guard columns(of: text) > width else { return text }
        var (rest, columns) = (text, columns(of: text))
        // Room for the ellipsis.
        while columns + 2 > width, let last = rest.popLast() {
            columns -= Self.columns(of: String(last))
        }
        return rest + "…"
    }

    /// The most columns that some terminal gives a text.
    static func columns(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 2) }
    }

    /// Words that are safe already, broken between them, and within those that are too long.
    static func wrapped(_ text: String, width: Int, indent: String = "") -> [String] {
        var lines: [String] = []
        var line = ""
        let words = text.split(separator: " ").flatMap { word in
            pieces(of: word, width: width - indent.utf8.count)
        }
        for word in words {
            if !line.isEmpty, columns(of: line) + 1 + columns(of: word) > width {
                lines.append(line)
                line = indent
            }
            line += (line.isEmpty || line == indent ? "" : " ") + word
        }
        return lines + [line]
    }
}
