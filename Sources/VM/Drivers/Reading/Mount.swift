/// One line of the mount table, fstab(5).
struct Mount: Hashable, Sendable {
    let source: String
    let point: String
    let type: String

    /// - Returns: `nil` for a line that is not a mount at an absolute path.
    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count >= 3 else { return nil }
        source = Self.decode(words[0])
        point = Self.decode(words[1])
        type = String(words[2])
        guard point.hasPrefix("/"), !point.utf8.contains(0) else { return nil }
    }

    /// Whether this mount stands at or beneath `other`.
    func isBeneath(_ other: Mount) -> Bool {
        point == other.point || point.hasPrefix(other.point == "/" ? "/" : other.point + "/")
    }

    /// Decodes `\040` and the like, with which the kernel writes white space and backslashes.
    private static func decode(_ word: Substring) -> String {
        let bytes = Array(word.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let digits = bytes[(index + 1)...].prefix(3)
            if bytes[index] == UInt8(ascii: "\\"), digits.count == 3,
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                decoded.append(byte)
                index += 4
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
