/// The text form of the keys of `age`: Bech32 of BIP 173, without its limit of 90 characters.
enum Bech32 {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let checksumCount = 6

    /// - Parameter prefix: the human-readable part, in lower case.
    static func encode(_ bytes: some Collection<UInt8>, prefix: String) -> String {
        var values: [UInt8] = []
        var (rest, bits) = (0, 0)
        for byte in bytes {
            rest = (rest << 8 | Int(byte)) & 0xFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                values.append(UInt8(rest >> bits & 31))
            }
        }
        if bits > 0 { values.append(UInt8(rest << (5 - bits) & 31)) }
        let zeros = [UInt8](repeating: 0, count: checksumCount)
        let sum = polymod(expanded(prefix) + values + zeros) ^ 1
        values += (0..<checksumCount).map { UInt8(sum >> (5 * (5 - $0)) & 31) }
        return prefix + "1" + String(decoding: values.map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// - Returns: `nil` for another prefix, mixed case, a wrong checksum, and bits that are left over and not
    ///   zero.
    static func decode(_ text: String, prefix: String) -> [UInt8]? {
        let lower = text.lowercased()
        guard !prefix.isEmpty, text == lower || text == text.uppercased(),
            lower.hasPrefix(prefix + "1")
        else {
            return nil
        }
        var values: [UInt8] = []
        for character in lower.utf8.dropFirst(prefix.utf8.count + 1) {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            values.append(UInt8(value))
        }
        guard values.count >= checksumCount, polymod(expanded(prefix) + values) == 1 else {
            return nil
        }
        var bytes: [UInt8] = []
        var (rest, bits) = (0, 0)
        for value in values.dropLast(checksumCount) {
            rest = (rest << 5 | Int(value)) & 0xFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(rest >> bits & 0xFF))
            }
        }
        guard bits < 5, rest & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }

    private static func expanded(_ prefix: String) -> [UInt8] {
        prefix.utf8.map { $0 >> 5 } + [0] + prefix.utf8.map { $0 & 31 }
    }

    private static func polymod(_ values: [UInt8]) -> UInt32 {
        let generators: [UInt32] = [
            0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3,
        ]
        return values.reduce(1) { sum, value in
            let top = sum >> 25
            let next = (sum & 0x1FF_FFFF) << 5 ^ UInt32(value)
            return generators.enumerated().reduce(next) { result, generator in
                top >> generator.offset & 1 == 1 ? result ^ generator.element : result
            }
        }
    }
}
