import API

/// Draws a QR code as text, with the quiet zone of four modules that scanners need.
struct QRText {
    private static let quietZone = 4

    /// Whether black and white are selected, so that the code is the same on dark and light terminals.
    let isColored: Bool
    /// Whether a character shows two modules as half blocks; otherwise `##` is a dark module.
    let isUnicode: Bool

    /// The style that standard output can show.
    ///
    /// - Parameter environment: of the process.
    init(environment: [String: String], isTerminal: Bool) {
        isColored = isTerminal && environment["TERM"] ?? "dumb" != "dumb"
        // The first variable that is set determines the encoding: locale(7).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
            .first { !$0.isEmpty }
        let encoding = locale?.split(separator: ".").last?.lowercased() ?? ""
        isUnicode = encoding.hasPrefix("utf-8") || encoding.hasPrefix("utf8")
    }

    /// The lines of a code.
    func lines(of code: QRCodeDescription) -> [String] {
        let modules = code.rows.map { $0.map { $0 == "#" } }
        func isDark(_ column: Int, _ row: Int) -> Bool {
            // The modules around the code are light.
            modules.indices.contains(row) && modules[row].indices.contains(column)
                && modules[row][column]
        }
        let range = -Self.quietZone..<modules.count + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: isUnicode ? 2 : 1).map {
            row in
            let text = range.map { column in
                isUnicode
                    ? Self.halfBlock(isDark(column, row), isDark(column, row + 1))
                    : isDark(column, row) ? "##" : "  "
            }.joined()
            return isColored ? colored(text) : text
        }
    }

    private static func halfBlock(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }

    /// Black on white, whatever the colours of the terminal are.
    private func colored(_ text: String) -> String {
        let (black, white, normal) = ("\u{1B}[38;5;16m", "\u{1B}[48;5;231m", "\u{1B}[0m")
        guard !isUnicode else { return black + white + text + normal }
        let dark = "\u{1B}[48;5;16m"
        return white + text.replacing("##", with: "\(dark)  \(white)") + normal
    }
}
