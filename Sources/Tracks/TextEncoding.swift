import Foundation

/// Converts texts of files to UTF-8.
///
/// A byte order mark decides, then the zero bytes of UTF-16, then the encoding that an XML declaration
/// names. Source: Extensible Markup Language (XML) 1.0, fifth edition, appendix F.
enum TextEncoding {
    /// The text without its byte order mark.
    ///
    /// - Throws: ``TrackError`` `.malformed` for another encoding, and for bytes that are not a text of the
    ///   named one. Bytes that are kept are not checked.
    static func utf8(_ bytes: ArraySlice<UInt8>) throws(TrackError) -> ArraySlice<UInt8> {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return bytes.dropFirst(3) }
        let isLittle = bytes.starts(with: [0xFF, 0xFE])
        if isLittle || bytes.starts(with: [0xFE, 0xFF]) {
            return utf16(bytes.dropFirst(2), isLittle: isLittle)
        }
        for isLittle in [true, false] {
            for first in [UInt8(ascii: "<"), UInt8(ascii: "{")]
            where bytes.starts(with: isLittle ? [first, 0] : [0, first]) {
                return utf16(bytes, isLittle: isLittle)
            }
        }
        guard let name = declaredName(bytes.prefix(256)), !unchanged.contains(name) else {
            return bytes
        }
        guard let encoding = encodings[name] else {
            throw TrackError(
                .malformed,
                "The file has an encoding that is not supported. Convert it to UTF-8.")
        }
        guard let text = String(bytes: bytes, encoding: encoding) else {
            throw TrackError(.malformed, "The file is not in the encoding that it names.")
        }
        return Array(text.utf8)[...]
    }

    /// The lower-case name of the encoding in an XML declaration; `nil` for none.
    private static func declaredName(_ head: ArraySlice<UInt8>) -> String? {
        let head = head.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard head.starts(with: Array("<?xml".utf8)) else { return nil }
        let text = String(decoding: head, as: UTF8.self)
        guard let end = text.firstRange(of: "?>"),
            let range = text[..<end.lowerBound].firstRange(of: "encoding")
        else { return nil }
        let name = text[range.upperBound..<end.lowerBound].drop { " =\"'\t".contains($0) }
            .prefix { !" \"'".contains($0) }
        return name.lowercased()
    }

    /// Unpaired surrogates and a lone last byte become replacement characters.
    private static func utf16(_ bytes: ArraySlice<UInt8>, isLittle: Bool) -> ArraySlice<UInt8> {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2 + 1)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let first = UInt16(bytes[index])
            // A text that ends within a character is cut there.
            let second = index + 1 < bytes.endIndex ? UInt16(bytes[index + 1]) : 0xFF
            units.append(isLittle ? first | second << 8 : first << 8 | second)
            index += 2
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)[...]
    }

    /// UTF-16 is among them: programs that write a string to a file name the encoding that the string
    /// had in memory, and bytes of UTF-16 have been recognised before.
    private static let unchanged: Set = ["utf-8", "utf8", "us-ascii", "ascii", "utf-16", ""]

    /// By the names of the IANA registry.
    ///
    /// Files that claim ISO 8859-1 are mostly in its superset, Windows 1252, as browsers read them.
    private static let encodings: [String: String.Encoding] = [
        "iso-8859-1": .windowsCP1252, "iso_8859-1": .windowsCP1252, "latin1": .windowsCP1252,
        "windows-1252": .windowsCP1252, "iso-8859-2": .isoLatin2, "windows-1250": .windowsCP1250,
        "windows-1251": .windowsCP1251, "windows-1253": .windowsCP1253,
        "windows-1254": .windowsCP1254, "shift_jis": .shiftJIS, "euc-jp": .japaneseEUC,
        "macintosh": .macOSRoman,
    ]
}
