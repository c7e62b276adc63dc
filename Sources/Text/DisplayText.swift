extension String {
    /// This text, from a stranger, as it may stand in one line of a terminal, a log or a page.
    ///
    /// Control characters (and with them every ANSI, OSC and C1 sequence), line breaks,
    /// bidirectional controls, zero-width and other invisible characters, unusual spaces, private
    /// and unassigned characters become `\u{…}`; a backslash becomes two, so that no text can
    /// pretend to be an escape. A character keeps at most three combining marks, and a mark that
    /// has nothing to stand on is escaped. The result has no line break and takes at most `limit`
    /// columns, a wide character counting as two; where something was cut the last is `…`.
    ///
    /// Its cost follows the limit, not the length of the text.
    ///
    /// - Parameter limit: The most columns of the result; nothing is shown for less than one.
    public func escapedForDisplay(limit: Int) -> String {
        guard limit > 0 else { return "" }
        var shown = String.UnicodeScalarView()
        var columns = 0
        // What still stands when the last column has to be given to the ellipsis.
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
}

extension Unicode.Scalar {
    /// Whether this scalar can move, hide, reorder or break the text around it, or shows as nothing.
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
            // Braille's blank is a symbol by category and a space to the eye.
            return self == "\u{2800}"
        }
    }

    fileprivate var displayEscape: String {
        self == "\\" ? "\\\\" : "\\u{" + String(value, radix: 16) + "}"
    }

    fileprivate var isCombiningMark: Bool {
        guard !isASCII else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }

    /// The columns a terminal gives this scalar.
    ///
    /// Source: the blocks that are mostly `W` or `F` in Unicode Standard Annex #11.
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

/// Short names that nobody can guess.
public enum RandomName {
    /// 16 lower-case hexadecimal digits, 64 random bits.
    public static func make() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
