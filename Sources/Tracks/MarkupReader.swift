/// A pull parser for the part of XML 1.0 that files of tracks use.
///
/// Document types are rejected, so the only entities are the five of XML, and nothing is fetched or
/// expanded. The text is UTF-8, whatever its declaration says; ``TextEncoding`` converts it before.
/// Prefixes are removed from names.
/// Source: Extensible Markup Language (XML) 1.0, fifth edition, sections 2 and 3.
struct MarkupReader {
    enum Piece: Hashable {
        case open(String, attributes: [String: String])
        case close(String)
        case text(String)
    }

    private let bytes: ArraySlice<UInt8>
    private let limits: TrackLimits
    private var position: Int
    private var open: [[UInt8]] = []
    /// The end tag of an empty element.
    private var pending: String?
    private var hasRoot = false

    /// - Throws: ``TrackError`` `.tooLarge`.
    init(_ bytes: ArraySlice<UInt8>, limits: TrackLimits) throws(TrackError) {
        guard bytes.count <= limits.bytes else {
            throw TrackError(.tooLarge, "The file is too large.")
        }
        self.bytes = bytes
        self.limits = limits
        position = bytes.startIndex
    }

    /// - Returns: `nil` at the end.
    mutating func next() throws(TrackError) -> Piece? {
        if let name = pending {
            pending = nil
            open.removeLast()
            return .close(name)
        }
        while position < bytes.endIndex {
            guard bytes[position] == UInt8(ascii: "<") else {
                if let piece = try characters() { return piece }
                continue
            }
            if skip("<!--") {
                try pass("-->")
            } else if skip("<![CDATA[") {
                let start = position
                try pass("]]>")
                guard !open.isEmpty else { throw malformed("text outside of the root element") }
                return .text(try string(bytes[start..<(position - 3)]))
            } else if skip("<!") {
                throw TrackError(.unsafe, "The file has a document type, which is not supported.")
            } else if skip("<?") {
                try pass("?>")
            } else if skip("</") {
                return try closing()
            } else {
                position += 1
                return try opening()
            }
        }
        guard hasRoot else { throw malformed("no root element") }
        guard open.isEmpty else { throw malformed("elements without an end tag") }
        return nil
    }

    // MARK: - Tags

    private mutating func opening() throws(TrackError) -> Piece {
        let name = try name()
        guard !open.isEmpty || !hasRoot else { throw malformed("two root elements") }
        hasRoot = true
        guard open.count < limits.depth else {
            throw TrackError(.tooLarge, "The elements of the file are nested too deeply.")
        }
        var attributes: [String: String] = [:]
        while true {
            let hadSpace = skipSpaces()
            if skip(">") { break }
            if skip("/>") {
                pending = try local(name)
                break
            }
            guard hadSpace, attributes.count < 64 else {
                throw malformed("a tag that does not end")
            }
            let key = try string(try self.name()[...])
            _ = skipSpaces()
            guard skip("=") else { throw malformed("an attribute without a value") }
            _ = skipSpaces()
            guard attributes.updateValue(try value(), forKey: key) == nil else {
                throw malformed("a duplicate attribute")
            }
        }
        open.append(name)
        return .open(try local(name), attributes: attributes)
    }

    private mutating func closing() throws(TrackError) -> Piece {
        let name = try name()
        _ = skipSpaces()
        guard skip(">"), open.last == name else { throw malformed("an unexpected end tag") }
        open.removeLast()
        return .close(try local(name))
    }

    /// A name with its prefix.
    private mutating func name() throws(TrackError) -> [UInt8] {
        let start = position
        while position < bytes.endIndex, Self.isName(bytes[position]) { position += 1 }
        guard position > start, position - start <= 256 else {
            throw malformed("a tag without a name")
        }
        return Array(bytes[start..<position])
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"),
            UInt8(ascii: "-"), UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }

    private func local(_ name: [UInt8]) throws(TrackError) -> String {
        let colon = name.lastIndex(of: UInt8(ascii: ":"))
        return try string(name[(colon.map { $0 + 1 } ?? 0)...])
    }

    // MARK: - Text

    private mutating func value() throws(TrackError) -> String {
        guard position < bytes.endIndex,
            bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
        else { throw malformed("a value without quotes") }
        let quote = bytes[position]
        let start = position + 1
        guard let end = bytes[start...].prefix(limits.text + 1).firstIndex(of: quote) else {
            throw malformed("a value that does not end")
        }
        position = end + 1
        guard !bytes[start..<end].contains(UInt8(ascii: "<")) else {
            throw malformed("a tag in a value")
        }
        return try unescaped(bytes[start..<end])
    }

    private mutating func characters() throws(TrackError) -> Piece? {
        let start = position
        while position < bytes.endIndex, bytes[position] != UInt8(ascii: "<") { position += 1 }
        let isBlank = bytes[start..<position].allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard !isBlank else { return nil }
        guard !open.isEmpty else { throw malformed("text outside of the root element") }
        return .text(try unescaped(bytes[start..<position]))
    }

    private func unescaped(_ part: ArraySlice<UInt8>) throws(TrackError) -> String {
        guard part.contains(UInt8(ascii: "&")) else { return try string(part) }
        var plain: [UInt8] = []
        var rest = part
        while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
            plain += rest[..<ampersand]
            guard
                let end = rest[ampersand...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let scalar = Self.scalar(rest[(ampersand + 1)..<end])
            else { throw malformed("an unknown reference") }
            plain += Array(String(scalar).utf8)
            rest = rest[(end + 1)...]
        }
        return try string((plain + rest)[...])
    }

    private static func scalar(_ reference: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let text = String(decoding: reference, as: UTF8.self)
        let named: [String: Unicode.Scalar] = [
            "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
        ]
        if let scalar = named[text] { return scalar }
        guard text.first == "#" else { return nil }
        let digits = text.dropFirst()
        let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init)
    }

    private func string(_ part: ArraySlice<UInt8>) throws(TrackError) -> String {
        guard part.count <= limits.text else {
            throw TrackError(.tooLarge, "A text in the file is too long.")
        }
        guard let text = String(validating: part, as: UTF8.self),
            text.utf8.allSatisfy({ $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) })
        else { throw malformed("a text that is not UTF-8, or a control character") }
        return text
    }

    // MARK: - Bytes

    private mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.endIndex else { return false }
        for offset in 0..<count where bytes[position + offset] != text.utf8Start[offset] {
            return false
        }
        position += count
        return true
    }

    private mutating func pass(_ text: StaticString) throws(TrackError) {
        while position < bytes.endIndex {
            if skip(text) { return }
            position += 1
        }
        throw malformed("a part that does not end")
    }

    private mutating func skipSpaces() -> Bool {
        let start = position
        while position < bytes.endIndex, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
            position += 1
        }
        return position > start
    }

    private func malformed(_ what: String) -> TrackError {
        TrackError(.malformed, "The file has \(what).")
    }
}
