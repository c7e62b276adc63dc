/// A token of a query, with its place for messages.
struct QueryToken: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// A name of a metric, a label, a function or a keyword.
        case name(String)
        case number(Double)
        /// Microseconds.
        case duration(Int64)
        case text(String)
        /// An operator or a bracket.
        case symbol(String)
        case end
    }

    let kind: Kind
    /// The position in the query, from 1.
    let place: Int
}

/// Divides a query into tokens.
struct QueryLexer {
    private static let symbols = [
        "==", "!=", ">=", "<=", "=~", "!~", "(", ")", "{", "}", "[", "]", ",", "=", "+", "-", "*",
        "/",
        "%", "^", ">", "<", "@", ":",
    ]
    private let text: [UInt8]
    private var place = 0

    init(_ query: String) {
        text = Array(query.utf8)
    }

    /// All tokens and one for the end.
    static func tokens(_ query: String) throws(PrometheusError) -> [QueryToken] {
        var lexer = QueryLexer(query)
        var tokens: [QueryToken] = []
        while true {
            let token = try lexer.next(after: tokens.last)
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private mutating func next(after last: QueryToken?) throws(PrometheusError) -> QueryToken {
        skipSpace()
        let start = place
        guard let byte = peek() else { return QueryToken(kind: .end, place: start + 1) }
        if Self.isDigit(byte) || byte == UInt8(ascii: ".") {
            return QueryToken(kind: try number(), place: start + 1)
        }
        // A colon can be in the name of a metric, and separates the parts of a subquery.
        if Self.startsName(byte) || byte == UInt8(ascii: ":") && last?.kind != .symbol("[") {
            while let byte = peek(),
                Self.startsName(byte) || Self.isDigit(byte) || byte == UInt8(ascii: ":")
            { place += 1 }
            let name = String(decoding: text[start..<place], as: UTF8.self)
            if name != ":" {
                switch name.lowercased() {
                case "inf": return QueryToken(kind: .number(.infinity), place: start + 1)
                case "nan": return QueryToken(kind: .number(.nan), place: start + 1)
                default: return QueryToken(kind: .name(name), place: start + 1)
                }
            }
            place = start
        }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`") {
            return QueryToken(kind: .text(try quoted(byte)), place: start + 1)
        }
        for symbol in Self.symbols where text[place...].starts(with: symbol.utf8) {
            place += symbol.utf8.count
            return QueryToken(kind: .symbol(symbol), place: start + 1)
        }
        throw .badData("The query has an unexpected character at position \(start + 1).")
    }

    private func peek(_ ahead: Int = 0) -> UInt8? {
        place + ahead < text.count ? text[place + ahead] : nil
    }

    private mutating func skipSpace() {
        while let byte = peek() {
            if byte == UInt8(ascii: "#") {
                while let byte = peek(), byte != UInt8(ascii: "\n") { place += 1 }
            } else if [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
                place += 1
            } else {
                return
            }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func startsName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// A number, or a duration such as `1h30m`.
    private mutating func number() throws(PrometheusError) -> QueryToken.Kind {
        let start = place
        var previous: UInt8 = 0
        while let byte = peek() {
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            let isExponent =
                (previous | 0x20) == UInt8(ascii: "e") && place - start > 1
                && text[start..<place].dropLast().allSatisfy {
                    Self.isDigit($0) || $0 == UInt8(ascii: ".")
                }
            guard
                Self.isDigit(byte) || Self.startsName(byte) || byte == UInt8(ascii: ".")
                    || isSign && isExponent
            else { break }
            previous = byte
            place += 1
        }
        let word = String(decoding: text[start..<place], as: UTF8.self)
        if word.hasPrefix("0x") || word.hasPrefix("0X") {
            if let number = UInt64(word.dropFirst(2), radix: 16) { return .number(Double(number)) }
        } else if let last = word.utf8.last, Self.isDigit(last) || last == UInt8(ascii: "."),
            let number = Double(word.hasSuffix(".") ? word + "0" : word)
        {
            return .number(number)
        }
        if let duration = PrometheusDuration.microseconds(word) { return .duration(duration) }
        throw .badData("\(word.prefix(40).debugDescription) is neither a number nor a duration.")
    }

    private mutating func quoted(_ quote: UInt8) throws(PrometheusError) -> String {
        let unfinished = PrometheusError.badData("The query has an unterminated string.")
        var bytes: [UInt8] = []
        place += 1
        while let byte = peek() {
            place += 1
            if byte == quote {
                guard let text = String(validating: bytes, as: UTF8.self) else { break }
                return text
            }
            guard byte == UInt8(ascii: "\\"), quote != UInt8(ascii: "`") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = peek() else { break }
            place += 1
            switch escaped {
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"): bytes.append(escaped)
            default:
                let name = Character(Unicode.Scalar(escaped))
                throw .badData("The escape \\\(name) in a text is not supported.")
            }
        }
        throw unfinished
    }
}

/// Durations of Prometheus.
public enum PrometheusDuration {
    private static let units: [(name: String, microseconds: Int64)] = [
        ("ms", 1000), ("s", 1_000_000), ("m", 60_000_000), ("h", 3_600_000_000),
        ("d", 86_400_000_000), ("w", 604_800_000_000), ("y", 31_536_000_000_000),
    ]

    /// The microseconds of a duration such as `5m`, `1h30m` or `500ms`; `nil` for anything else, and for more than a
    /// thousand years.
    public static func microseconds(_ text: String) -> Int64? {
        var rest = text[...]
        var total: Int64 = 0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            let name = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(name.count)
            guard let number = Int64(digits), let unit = units.first(where: { $0.name == name })
            else { return nil }
            let (part, overflow) = number.multipliedReportingOverflow(by: unit.microseconds)
            guard !overflow, part <= 31_536_000_000_000_000 - total else { return nil }
            total += part
        }
        return text.isEmpty ? nil : total
    }
}
