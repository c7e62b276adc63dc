import Crypto
import Foundation

/// The script files that a page loads.
///
/// ```swift
/// let runsInPage = PageScripts(in: page).load("app.js")
/// ```
public struct PageScripts: Sendable {
    /// The folders that nervousnet apps load their own files from, followed by the app's name.
    private static let ownFolders: Set = ["nervous-jsapps", "nervousnet-axons", "axon-res"]

    /// The `src` attributes, in the order of the page.
    let addresses: [String]

    /// Reads a page.
    public init(in page: [UInt8]) {
        var reader = PageReader(page)
        while reader.nextScript() != nil {}
        addresses = reader.addresses
    }

    /// Whether one of the scripts is the file of this name at the top of the app's folder.
    public func load(_ file: String) -> Bool {
        addresses.contains { address in
            var parts = address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
            parts.removeAll { $0 == "." }
            if parts.count == 3, Self.ownFolders.contains(String(parts[0])) {
                parts.removeFirst(2)
            }
            return parts == [file[...]]
        }
    }
}

/// The inline scripts of a page, as sources of a Content Security Policy.
///
/// They are its `<script>` elements without `src`, attributes such as `onclick`, and `javascript:`
/// addresses; not elements that a script adds to the page later.
struct InlineScripts {
    /// The maximum number of inline scripts of a page; further ones do not run.
    static let limit = 128

    /// Sources such as `'sha256-…'`, without duplicates, in the order of the page.
    let hashes: [String]

    /// Tokenises a page like the HTML Standard, with scripting enabled.
    init(in page: [UInt8]) {
        var texts: [String] = []
        var reader = PageReader(page)
        while texts.count < Self.limit, let text = reader.nextScript() { texts.append(text) }
        var seen: Set<String> = []
        hashes = texts.map(Self.source).filter { seen.insert($0).inserted }
    }

    private static func source(of text: String) -> String {
        let digest = Data(SHA256.hash(data: Data(text.utf8)))
        return "'sha256-\(digest.base64EncodedString())'"
    }
}

/// Finds the scripts of a page that a browser would run.
///
/// It follows the tokeniser of the HTML Standard as far as scripts require. Where it deviates, as
/// for rare named character references, the hash does not match, so the browser does not run the script.
private struct PageReader {
    /// Elements whose content is text up to the end tag.
    private static let textElements: Set = [
        "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript",
    ]
    private static let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0C, 0x0D]

    private let bytes: [UInt8]
    private var position = 0
    private var found: [String] = []
    /// The `src` of the scripts read so far.
    private(set) var addresses: [String] = []

    init(_ page: [UInt8]) {
        bytes = page
    }

    /// The next inline script, in the order of the page; an element's attributes before its
    /// content.
    mutating func nextScript() -> String? {
        while found.isEmpty, position < bytes.count { step() }
        return found.isEmpty ? nil : found.removeFirst()
    }

    // MARK: - Markup

    private mutating func step() {
        guard let open = bytes[position...].firstIndex(of: UInt8(ascii: "<")) else {
            position = bytes.count
            return
        }
        position = open + 1
        guard position < bytes.count else { return }
        if bytes[position...].starts(with: "!--".utf8) {
            skipComment()
        } else if bytes[position] == UInt8(ascii: "!") || bytes[position] == UInt8(ascii: "?") {
            skip(past: ">")
        } else if bytes[position] == UInt8(ascii: "/") {
            position += 1
            guard position < bytes.count, bytes[position].isLetter else { return skip(past: ">") }
            _ = tag()
        } else if bytes[position].isLetter {
            let (name, attributes) = tag()
            take(attributes)
            if Self.textElements.contains(name) { takeText(of: name, attributes) }
        }
    }

    private mutating func skipComment() {
        position += 3
        // `<!-->` and `<!--->` are complete comments.
        for end in [">", "->"] where bytes[position...].starts(with: end.utf8) {
            position += end.utf8.count
            return
        }
        while let dashes = bytes[position...].firstRange(of: Array("--".utf8)) {
            position = dashes.lowerBound + 1
            let rest = bytes[dashes.upperBound...]
            guard let end = [">", "!>"].first(where: { rest.starts(with: $0.utf8) }) else {
                continue
            }
            position = dashes.upperBound + end.utf8.count
            return
        }
        position = bytes.count
    }

    private mutating func skip(past end: String) {
        position = bytes[position...].firstRange(of: Array(end.utf8))?.upperBound ?? bytes.count
    }

    /// The lower-case name of a tag, and its attributes; of attributes with the same name, the first.
    private mutating func tag() -> (name: String, attributes: [String: [UInt8]]) {
        let name = word { Self.space.contains($0) || $0.isOne(of: "/>") }
        var attributes: [String: [UInt8]] = [:]
        while position < bytes.count {
            while position < bytes.count,
                Self.space.contains(bytes[position]) || bytes[position].isOne(of: "/")
            { position += 1 }
            guard position < bytes.count, bytes[position] != UInt8(ascii: ">") else { break }
            let start = position
            // A name may begin with an equals sign.
            position += 1
            _ = word { Self.space.contains($0) || $0.isOne(of: "/>=") }
            let key = Self.text(bytes[start..<position]).lowercased()
            let value = value()
            if attributes[key] == nil { attributes[key] = value }
        }
        position += 1
        return (name.lowercased(), attributes)
    }

    private mutating func value() -> [UInt8] {
        var ahead = position
        while ahead < bytes.count, Self.space.contains(bytes[ahead]) { ahead += 1 }
        guard ahead < bytes.count, bytes[ahead] == UInt8(ascii: "=") else { return [] }
        position = ahead + 1
        while position < bytes.count, Self.space.contains(bytes[position]) { position += 1 }
        guard position < bytes.count, bytes[position].isOne(of: "\"'") else {
            let start = position
            _ = word { Self.space.contains($0) || $0.isOne(of: ">") }
            return Array(bytes[start..<position])
        }
        let quote = bytes[position]
        let start = position + 1
        let end = bytes[start...].firstIndex(of: quote) ?? bytes.count
        position = min(end + 1, bytes.count)
        return Array(bytes[start..<end])
    }

    private mutating func word(until isEnd: (UInt8) -> Bool) -> String {
        let start = position
        while position < bytes.count, !isEnd(bytes[position]) { position += 1 }
        return Self.text(bytes[start..<position])
    }

    // MARK: - Scripts

    private mutating func take(_ attributes: [String: [UInt8]]) {
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            let text = CharacterReferences.decode(Self.text(value[...]))
            let isAddress =
                ["href", "action", "formaction", "src"].contains(name)
                && text.lowercased().hasPrefix("javascript:")
            if name.hasPrefix("on") || isAddress { found.append(text) }
        }
    }

    private mutating func takeText(of name: String, _ attributes: [String: [UInt8]]) {
        let start = min(position, bytes.count)
        var end = bytes.count
        var search = start
        while let open = bytes[search...].firstRange(of: Array("</".utf8)) {
            search = open.upperBound
            let after = search + name.utf8.count
            guard after < bytes.count, Self.text(bytes[search..<after]).lowercased() == name,
                Self.space.contains(bytes[after]) || bytes[after].isOne(of: "/>")
            else { continue }
            end = open.lowerBound
            break
        }
        position = end
        guard name == "script" else { return }
        if let address = attributes["src"] {
            addresses.append(CharacterReferences.decode(Self.text(address[...])))
        } else {
            found.append(Self.text(bytes[start..<end]))
        }
    }

    /// Text as a browser stores it: UTF-8, with line feeds.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
            .replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    fileprivate func isOne(of characters: StaticString) -> Bool {
        characters.withUTF8Buffer { $0.contains(self) }
    }
}

/// Character references of HTML: `&amp;`, `&#38;`.
private enum CharacterReferences {
    private static let names: [Substring: Character] = [
        "quot": "\"", "amp": "&", "lt": "<", "gt": ">", "apos": "'", "nbsp": "\u{A0}",
    ]

    /// Replaces references that end with a semicolon: numbers, and the names that scripts need.
    static func decode(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var decoded = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            decoded += rest[..<mark]
            rest = rest[mark...].dropFirst()
            guard let end = rest.prefix(12).firstIndex(of: ";"),
                let character = character(rest[..<end])
            else {
                decoded += "&"
                continue
            }
            decoded.append(character)
            rest = rest[end...].dropFirst()
        }
        return decoded + rest
    }

    private static func character(_ reference: Substring) -> Character? {
        guard reference.hasPrefix("#") else { return names[reference] }
        let digits = reference.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number =
            isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
        return number.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
