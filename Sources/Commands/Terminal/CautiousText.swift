import Auth
import Text

/// Text that no terminal displays wider than expected.
///
/// Terminals disagree about the width of characters beyond ASCII, and about which of them combine,
/// so each scalar counts as two columns, the maximum. Untrusted text can then never wrap to the
/// start of a line.
enum CautiousText {
    /// Untrusted text: escaped, broken after `width` columns, and truncated after some lines.
    static func lines(of text: String, width: Int, atMost count: Int) -> [String] {
        let all = pieces(of: text.escapedForDisplay(limit: width * count), width: width)
        guard all.count > count, let last = all.prefix(count).last else { return all }
        return all.prefix(count - 1) + [cut(last + "……", width: width)]
    }

    /// Untrusted text in one line.
    static func line(of text: String, width: Int) -> String {
        lines(of: text, width: width, atMost: 1)[0]
    }

    /// The maximum number of columns of a text.
    static func columns(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
    }

    /// Safe text, truncated if it is too wide.
    static func cut(_ text: String, width: Int) -> String {
        var columns = columns(of: text)
        guard columns > width else { return text }
        var rest = text.unicodeScalars
        // Room for the ellipsis.
        while columns + 2 > width, let last = rest.popLast() {
            columns -= Self.columns(of: last)
        }
        return String(rest) + "…"
    }

    /// Safe text, broken between words, and within words that are too long.
    static func wrapped(_ text: String, width: Int, indent: String = "") -> [String] {
        var lines: [String] = []
        var line = ""
        let words = text.split(separator: " ").flatMap { word in
            pieces(of: String(word), width: width - indent.utf8.count)
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

    /// Splits text into pieces that each fit a line.
    private static func pieces(of text: String, width: Int) -> [String] {
        var pieces: [String] = []
        var (piece, columns) = (String.UnicodeScalarView(), 0)
        var rest = text.unicodeScalars[...]
        while let base = rest.popFirst() {
            // A combining mark at the start of a line would combine with the host's text.
            let marks = rest.prefix { isMark($0) }
            rest = rest.dropFirst(marks.count)
            let more = marks.reduce(Self.columns(of: base)) { $0 + Self.columns(of: $1) }
            if columns + more > width {
                pieces.append(String(piece))
                (piece, columns) = (String.UnicodeScalarView(), 0)
            }
            piece.append(base)
            piece.append(contentsOf: marks)
            columns += more
        }
        return pieces + [String(piece)]
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        scalar.isASCII ? 1 : 2
    }
}
