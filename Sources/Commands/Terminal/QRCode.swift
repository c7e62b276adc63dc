import CQRencode
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
