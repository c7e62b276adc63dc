import API
import CQRencode

extension QRCodeDescription {
    /// The smallest code of a text, made by libqrencode with error correction level L: it is read from
    /// a screen.
    ///
    /// - Throws: `Problem` for a text that is too long, about 2900 bytes.
    init(encoding text: String) throws(Problem) {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else {
            throw Problem(
                .internalError, "Cannot make a QR code of \(text.utf8.count) bytes.")
        }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        // The lowest bit of each byte is the colour of its module.
        let rows = (0..<width).map { row in
            (0..<width).map { code.pointee.data[row * width + $0] & 1 == 1 ? "#" : "." }.joined()
        }
        self.init(text: text, rows: rows)
    }
}
