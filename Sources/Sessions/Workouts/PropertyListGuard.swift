import Tracks

/// Looks through an XML property list before Foundation reads it.
///
/// Its decoder calls itself for each element within another, without a limit: a file of a megabyte
/// would overflow the stack and end the process. It also reads two other forms of property lists,
/// which nobody asks for here. So what is let through is XML, whose elements are as deep as a list of
/// workouts needs, and which declares nothing; and whose dates have years of four digits, since those of
/// more are computed with unchecked.
struct PropertyListGuard {
    let limits: TrackLimits

    /// - Throws: ``TrackError`` `.malformed`, `.unsafe`, `.tooLarge`.
    func check(_ bytes: [UInt8]) throws(TrackError) {
        guard bytes.count <= limits.bytes else {
            throw TrackError(.tooLarge, "The file is too large.")
        }
        let start = bytes.starts(with: Self.mark) ? Self.mark.count : 0
        guard bytes.dropFirst(start).first(where: { !Self.blanks.contains($0) }) == Self.open else {
            throw TrackError(.malformed, "The file is not an XML property list.")
        }
        var (place, depth) = (start, 0)
        while let tag = bytes[place...].firstIndex(of: Self.open) {
            guard let last = bytes[tag...].firstIndex(of: Self.close),
                !bytes[(tag + 1)..<last].contains(Self.open)
            else { throw TrackError(.malformed, "The file has a tag that does not end.") }
            place = last + 1
            switch bytes[tag + 1] {
            case UInt8(ascii: "?") where bytes[last - 1] == UInt8(ascii: "?"): break
            case UInt8(ascii: "?"), UInt8(ascii: "!"):
                // The document type that every property list has is let through, without entities.
                guard depth == 0, bytes[tag...].starts(with: Self.documentType),
                    !bytes[tag...last].contains(UInt8(ascii: "["))
                else {
                    throw TrackError(
                        .unsafe, "The file has declarations, comments or raw text of XML.")
                }
            case UInt8(ascii: "/"): depth -= 1
            default:
                if bytes[last - 1] != UInt8(ascii: "/") { depth += 1 }
                if bytes[(tag + 1)..<last].starts(with: Self.date) {
                    try checkDate(bytes[place...])
                }
            }
            guard depth >= 0 else {
                throw TrackError(.malformed, "The file closes more than it opens.")
            }
            guard depth <= limits.depth else {
                throw TrackError(.tooLarge, "The elements of the file lie too deep.")
            }
        }
    }

    /// - Parameter rest: what stands behind the tag that begins a date.
    private func checkDate(_ rest: ArraySlice<UInt8>) throws(TrackError) {
        let text = rest.prefix(Self.dateForm.count + 1)
        let isDate =
            text.last == Self.open && text.count == Self.dateForm.count + 1
            && zip(text, Self.dateForm).allSatisfy { byte, form in
                form == UInt8(ascii: "0")
                    ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == form
            }
        guard isDate else { throw TrackError(.malformed, "The file has a date that is none.") }
    }

    private static let date = Array("date".utf8)
    private static let dateForm = Array("0000-00-00T00:00:00Z".utf8)
    private static let open = UInt8(ascii: "<")
    private static let close = UInt8(ascii: ">")
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let blanks = Array(" \t\r\n".utf8)
    private static let documentType = Array("<!DOCTYPE plist".utf8)
}
