import CQRencode
import Foundation
import Host

/// A QR code (ISO/IEC 18004), made by libqrencode.
struct QRCode {
    /// The modules of a side, without the quiet zone.
    let width: Int
    /// Whether each module is dark, row by row.
    private let modules: [Bool]

    /// The smallest code of a text, with error correction level L: it is read from a screen.
    ///
    /// - Throws: `CommandFailure` for a text that is too long, about 2900 bytes.
    init(_ text: String) throws(CommandFailure) {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else {
            throw CommandFailure(.failed, "Cannot make a QR code of \(text.utf8.count) bytes.")
        }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        // The lowest bit of each byte is its colour.
        modules = (0..<width * width).map { code.pointee.data[$0] & 1 == 1 }
    }

    /// Whether a module is dark; those around the code are not.
    subscript(column: Int, row: Int) -> Bool {
        guard (0..<width).contains(column), (0..<width).contains(row) else { return false }
        return modules[row * width + column]
    }
}

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
