import Foundation

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
        // The first that is set counts, locale(7).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
            .first { !$0.isEmpty }
        let encoding = locale?.split(separator: ".").last?.lowercased() ?? ""
        isUnicode = encoding.hasPrefix("utf-8") || encoding.hasPrefix("utf8")
    }

    /// The lines of a code.
    func lines(of code: QRCode) -> [String] {
        let range = -Self.quietZone..<code.width + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: isUnicode ? 2 : 1).map {
            row in
            let text = range.map { column in
                isUnicode
                    ? Self.halfBlock(code[column, row], code[column, row + 1])
                    : code[column, row] ? "##" : "  "
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
