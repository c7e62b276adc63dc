import Samples

/// Parses one line in line protocol, which is valid UTF-8.
struct LineScanner {
    /// Why the line is invalid.
    struct Fault: Error {
        let message: String

        init(_ message: String) {
            self.message = message
        }
    }

    private static let maximumFields = 256
    private static let maximumTags = 64
    /// The maximum length of a number: parsing a double takes more than linear time.
    private static let longestNumber = 128

    private let bytes: ArraySlice<UInt8>
    private var offset: Int

    init(_ line: ArraySlice<UInt8>) {
        bytes = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        offset = bytes.startIndex
        skipSpaces()
    }

    /// Whether the line is empty or a comment.
    var isBlank: Bool { next == nil || next == UInt8(ascii: "#") }

    mutating func point(line: Int, _ precision: TimePrecision) throws(Fault) -> LinePoint {
        let measurement = try name("measurement", until: [.comma, .space])
        var tags: [LinePoint.Tag] = []
        while take(.comma) {
            guard tags.count < Self.maximumTags else { throw Fault("it has too many tags") }
            let key = try name("tag", until: [.equals, .comma, .space])
            guard take(.equals) else { throw Fault("a tag has no value") }
            let value = try name("value of a tag", until: [.equals, .comma, .space])
            tags.append(LinePoint.Tag(key: key, value: value))
        }
        guard take(.space) else { throw Fault("it has no fields") }
        skipSpaces()
        let values = try fields()
        return LinePoint(
            line: line, measurement: measurement, tags: tags,
            reading: Reading(time: try time(precision), values: values))
    }

    private var next: UInt8? { offset < bytes.endIndex ? bytes[offset] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpaces() {
        while next == .space || next == UInt8(ascii: "\t") { offset += 1 }
    }

    /// Reads a name up to one of `ends`; a backslash escapes a comma, an equals sign or a space, and is
    /// literal before any other character.
    private mutating func name(_ what: String, until ends: [UInt8]) throws(Fault) -> String {
        var name: [UInt8] = []
        while let byte = next, !ends.contains(byte) {
            offset += 1
            if byte == .backslash, let escaped = next,
                [.comma, .equals, .space].contains(escaped)
            {
                name.append(escaped)
                offset += 1
            } else {
                name.append(byte)
            }
        }
        guard !name.isEmpty else { throw Fault("a \(what) is empty") }
        guard name.count <= PushLimits.name else {
            throw Fault("a \(what) has more than \(PushLimits.name) bytes")
        }
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func fields() throws(Fault) -> [String: Value] {
        var values: [String: Value] = [:]
        repeat {
            guard values.count < Self.maximumFields else { throw Fault("it has too many fields") }
            let key = try name("field", until: [.equals, .comma, .space])
            guard take(.equals) else { throw Fault("a field has no value") }
            let value = try value()
            guard values.updateValue(value, forKey: Self.fieldName(key)) == nil else {
                throw Fault("a field occurs twice")
            }
        } while take(.comma)
        return values
    }

    private mutating func value() throws(Fault) -> Value {
        if next == .quote { return .text(try text()) }
        let start = offset
        while let byte = next, byte != .comma, byte != .space { offset += 1 }
        let token = String(decoding: bytes[start..<offset], as: UTF8.self)
        switch token {
        case "": throw Fault("a field has no value")
        case "t", "T", "true", "True", "TRUE": return .text("true")
        case "f", "F", "false", "False", "FALSE": return .text("false")
        default: break
        }
        guard let value = Self.number(token) else {
            throw Fault("a value is neither a number, a boolean nor a quoted text")
        }
        return value
    }

    /// An integer that ends in `i` or `u`, or a finite decimal.
    private static func number(_ token: String) -> Value? {
        switch token.utf8.last {
        case UInt8(ascii: "i"): return Int64(token.dropLast()).map(Value.integer)
        case UInt8(ascii: "u"):
            return UInt64(token.dropLast()).map { whole in
                Int64(exactly: whole).map(Value.integer) ?? .number(Double(whole))
            }
        default:
            guard token.utf8.count <= longestNumber,
                token.utf8.allSatisfy({
                    (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0)
                }), let number = Double(token), number.isFinite
            else { return nil }
            return .number(number)
        }
    }

    /// Reads a quoted text, in which a backslash escapes quotes and backslashes.
    private mutating func text() throws(Fault) -> String {
        offset += 1
        var text: [UInt8] = []
        while let byte = next, byte != .quote {
            offset += 1
            if byte == .backslash, let escaped = next, escaped == .quote || escaped == .backslash {
                text.append(escaped)
                offset += 1
            } else {
                text.append(byte)
            }
        }
        guard take(.quote) else { throw Fault("the quote of a text is not closed") }
        guard next == nil || next == .comma || next == .space else {
            throw Fault("unexpected text after a closing quote")
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func time(_ precision: TimePrecision) throws(Fault) -> Timestamp? {
        skipSpaces()
        let start = offset
        while let byte = next, byte != .space { offset += 1 }
        let token = String(decoding: bytes[start..<offset], as: UTF8.self)
        skipSpaces()
        guard next == nil else { throw Fault("unexpected text after the time") }
        guard !token.isEmpty else { return nil }
        guard let count = Int64(token) else { throw Fault("the time is not an integer") }
        guard let time = precision.moment(count) else { throw Fault(DropReason.time.words) }
        return time
    }

    /// A valid field name in camel case: letters and digits only.
    static func fieldName(_ key: String) -> String {
        let words = key.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        guard let first = words.first else { return key }
        return ([first.lowercasingFirst] + words.dropFirst().map(\.capitalizingFirst)).joined()
    }
}

extension UInt8 {
    fileprivate static let comma = UInt8(ascii: ",")
    fileprivate static let equals = UInt8(ascii: "=")
    fileprivate static let space = UInt8(ascii: " ")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let backslash = UInt8(ascii: "\\")
}

extension StringProtocol {
    fileprivate var lowercasingFirst: String { prefix(1).lowercased() + dropFirst() }
    fileprivate var capitalizingFirst: String { prefix(1).uppercased() + dropFirst() }
}
