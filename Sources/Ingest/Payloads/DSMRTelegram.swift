import Samples
import Text

/// A telegram of a meter: the P1 port of DSMR and ESMR, and the readout of IEC 62056-21.
///
/// It begins with `/` and the identification of the meter. Each line has an OBIS code and values in parentheses:
/// `1-0:1.8.1(001234.567*kWh)`. It ends with `!` and, since DSMR 4, with the CRC-16/ARC of everything from `/` to `!`
/// as four hexadecimal digits. Source: "P1 Companion Standard", Netbeheer Nederland, versions 2.2 to 5.0.2.
struct DSMRTelegram {
    /// The name of a value: an OBIS code, and the number of its parentheses, such as `0-1:24.2.1[0]`; the last
    /// ones unless another is given.
    struct Name: Hashable, Sendable {
        fileprivate let code: String
        fileprivate let index: Int?

        /// - Returns: `nil` for another text.
        init?(_ text: String) {
            var code = text[...]
            var index: Int?
            if text.last == "]" {
                guard let mark = text.firstIndex(of: "["),
                    let number = Int(text[text.index(after: mark)...].dropLast()), number >= 0
                else { return nil }
                code = text[..<mark]
                index = number
            }
            guard DSMRTelegram.isCode(code) else { return nil }
            (self.code, self.index) = (String(code), index)
        }
    }

    /// The longest telegram in bytes; those of meters have about a thousand.
    static let longest = 16 << 10
    /// The version of the format, of DSMR 4 and later and in Belgium; such telegrams have a checksum.
    private static let versions = ["1-3:0.2.8", "0-0:96.1.4"]

    private var groups: [String: [Substring]] = [:]

    /// - Returns: `nil` for bytes that are no complete telegram, or have a wrong checksum.
    init?(_ payload: [UInt8]) {
        guard payload.count <= Self.longest, payload.first == UInt8(ascii: "/"),
            let mark = payload.lastIndex(of: UInt8(ascii: "!")),
            payload.allSatisfy({ (0x20...0x7E).contains($0) || [0x0A, 0x0D, 0x09].contains($0) })
        else { return nil }
        let lines = String(decoding: payload[..<mark], as: UTF8.self)
            .split { $0.isNewline }
        var code: String?
        for line in lines.dropFirst() {
            guard let open = line.firstIndex(of: "(") else { continue }
            // In DSMR 2, the value of a gas meter is on a line of its own.
            if open != line.startIndex { code = String(line[..<open]) }
            guard let code, Self.isCode(code[...]) else { continue }
            let isSecond = groups[code] != nil && open != line.startIndex
            if isSecond { continue }
            groups[code, default: []] += Self.parentheses(line[open...])
        }
        guard !groups.isEmpty else { return nil }
        let sum = String(decoding: payload[(mark + 1)...], as: UTF8.self)
            .filter { !$0.isWhitespace }
        let mayLackSum = !Self.versions.contains { groups[$0] != nil }
        guard sum.isEmpty ? mayLackSum : sum.utf8.count == 4 else { return nil }
        if !sum.isEmpty, UInt16(sum, radix: 16) != Self.crc(payload[...mark]) { return nil }
    }

    /// The value without its unit; a time with its offset from UTC; `nil` if it is missing.
    func value(_ name: Name) -> Value? {
        guard let all = groups[name.code] else { return nil }
        let index = name.index ?? all.count - 1
        guard all.indices.contains(index) else { return nil }
        let text = all[index].prefix { $0 != "*" }
        return Self.time(text).map { .text($0) } ?? Value(text: text)
    }

    /// `A-B:C.D.E*F`, of which `A-B:` and `*F` may be missing.
    private static func isCode(_ text: Substring) -> Bool {
        text.utf8.count <= 32
            && text.wholeMatch(
                of: /([0-9]{1,3}-[0-9]{1,3}:)?[0-9A-F]{1,3}(\.[0-9]{1,3}){1,2}(\*[0-9]{1,3})?/)
                != nil
    }

    private static func parentheses(_ text: Substring) -> [Substring] {
        text.split(separator: "(").compactMap { part in
            part.firstIndex(of: ")").map { part[..<$0] }
        }
    }

    /// `YYMMDDhhmmssX`, by the clocks of the Netherlands: X is S in summer (CEST) and W in winter (CET).
    private static func time(_ text: Substring) -> String? {
        guard text.utf8.count == 13, let season = text.last, season == "S" || season == "W",
            text.dropLast().allSatisfy({ $0.isASCII && $0.isNumber })
        else { return nil }
        let digits = Array(text)
        func two(_ index: Int) -> String { String(digits[index...index + 1]) }
        return "20\(two(0))-\(two(2))-\(two(4))T\(two(6)):\(two(8)):\(two(10))"
            + (season == "S" ? "+02:00" : "+01:00")
    }

    /// CRC-16/ARC: polynomial 0x8005 reflected, beginning with 0.
    private static func crc(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ UInt16(byte)) { sum, _ in
                sum & 1 == 1 ? sum >> 1 ^ 0xA001 : sum >> 1
            }
        }
    }
}

/// Finds telegrams in a stream of bytes.
struct TelegramSplitter: Sendable {
    /// How many parts of telegrams were dropped, and runs of other text.
    private(set) var rejected = 0
    private var telegram: [UInt8] = []
    private var isInside = false
    private var isAtLineStart = true
    /// Whether the line is that of the checksum.
    private var isLastLine = false

    mutating func take(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var telegrams: [[UInt8]] = []
        for byte in bytes {
            let isLineEnd = byte == 0x0A || byte == 0x0D
            if isAtLineStart, byte == UInt8(ascii: "/") {
                if !telegram.isEmpty { rejected += 1 }
                (telegram, isInside, isLastLine) = ([], true, false)
            } else if isInside, isAtLineStart, byte == UInt8(ascii: "!") {
                isLastLine = true
            }
            isAtLineStart = isLineEnd
            if isInside, isLastLine, isLineEnd {
                telegrams.append(telegram)
                (telegram, isInside, isLastLine) = ([], false, false)
            } else if isInside, telegram.count == DSMRTelegram.longest {
                rejected += 1
                (telegram, isInside) = ([], false)
            } else if isInside {
                telegram.append(byte)
            } else if !isLineEnd, telegram.isEmpty {
                // One byte stands for a run of other text, so that it is counted once.
                telegram = [byte]
            }
        }
        return telegrams
    }

    /// The last telegram of a source that ends without a line end.
    mutating func end() -> [UInt8]? {
        defer { (telegram, isInside, isLastLine, isAtLineStart) = ([], false, false, true) }
        return isInside && isLastLine ? telegram : nil
    }
}
