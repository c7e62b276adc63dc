extension String {
    /// An untrusted text, escaped for one line of a terminal, a log or a page.
    ///
    /// Control characters (and so all ANSI, OSC and C1 sequences), line breaks, bidirectional
    /// controls, zero-width and other invisible characters, unusual spaces, private and unassigned
    /// characters become `\u{…}`. A backslash is doubled, so that escapes are unambiguous. A
    /// character keeps at most three combining marks; marks without a base character are escaped.
    /// The result has at most `limit` columns, of which a wide character takes two; a truncated
    /// text ends with `…`.
    ///
    /// The cost depends on the limit, not on the length of the text.
    ///
    /// ```swift
    /// "a\u{1B}[31mb".escapedForDisplay(limit: 40)  // "a\\u{1b}[31mb"
    /// ```
    ///
    /// - Parameter limit: the maximum number of columns; below 1, the result is empty.
    public func escapedForDisplay(limit: Int) -> String {
        guard limit > 0 else { return "" }
        var shown = String.UnicodeScalarView()
        var columns = 0
        // The longest beginning of the text that leaves a column for an ellipsis.
        var shorter = shown
        var marks = 0
        var hasBase = false
        for scalar in unicodeScalars {
            let isMark = scalar.isCombiningMark
            marks = isMark ? marks + 1 : 0
            let isEscaped =
                scalar.isUnsafeToDisplay || scalar == "\\"
                || (isMark && (!hasBase || marks > 3))
            let piece = isEscaped ? scalar.displayEscape : String(scalar)
            let width = isEscaped ? piece.utf8.count : scalar.columns
            guard columns + width <= limit else { return String(shorter) + "…" }
            hasBase = isMark ? hasBase : !isEscaped
            shown.append(contentsOf: piece.unicodeScalars)
            columns += width
            if columns < limit { shorter = shown }
        }
        return String(shown)
    }

    /// The columns of a text in a terminal, of which a wide character takes two and a combining mark
    /// none.
    public var displayColumns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    /// The beginning of an escaped text that fits some columns; a truncated text ends with `…`.
    ///
    /// ```swift
    /// "temperature".shortened(toColumns: 6)  // "tempe…"
    /// ```
    ///
    /// - Parameter limit: the maximum number of columns; below one the result is empty.
    public func shortened(toColumns limit: Int) -> String {
        guard limit > 0 else { return "" }
        var shown = String.UnicodeScalarView()
        var columns = 0
        // The longest beginning of the text that leaves a column for an ellipsis.
        var shorter = shown
        for scalar in unicodeScalars {
            guard columns + scalar.columns <= limit else { return String(shorter) + "…" }
            shown.append(scalar)
            columns += scalar.columns
            if columns < limit { shorter = shown }
        }
        return self
    }
}

extension Unicode.Scalar {
    /// Whether this scalar is invisible or can move, hide, reorder or break the surrounding text.
    public var isUnsafeToDisplay: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        if properties.isDefaultIgnorableCodePoint { return true }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            return true
        case .spaceSeparator:
            return self != "\u{3000}"
        default:
            // The Braille blank is a symbol by category, but looks like a space.
            return self == "\u{2800}"
        }
    }

    fileprivate var displayEscape: String {
        self == "\\" ? "\\\\" : "\\u{" + String(value, radix: 16) + "}"
    }

    /// Whether this scalar changes the character before it.
    public var isCombiningMark: Bool {
        guard !isASCII else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }

    /// The columns of this scalar in a terminal.
    ///
    /// Source: the blocks most of whose characters have the East Asian Width `W` or `F` in Unicode
    /// Standard Annex #11.
    fileprivate var columns: Int {
        switch value {
        case 0..<0x300: 1
        case 0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615,
            0x2648...0x2653, 0x26A1...0x26CE, 0x2705...0x27BF, 0x2B1B...0x2B55,
            0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F004...0x1F9FF, 0x1FA70...0x1FAFF,
            0x20000...0x3FFFD:
            2
        default: properties.generalCategory == .nonspacingMark ? 0 : 1
        }
    }
}

extension String {
    /// The text quoted as one word for a shell.
    public var shellQuoted: String {
        "'\(replacing("'", with: "'\\''"))'"
    }
}
