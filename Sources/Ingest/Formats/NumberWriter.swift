/// Writes doubles as the shortest decimals that read back the same, as `description` does.
///
/// No two decimals of at most 15 digits round to the same double: if the number is k/10^e with
/// k < 10^15, the digits of k are the shortest representation. One attempt with the largest e finds
/// such a k if it exists. Other numbers are formatted by the standard library and cached by their
/// bits, since quantised values recur.
///
/// Source: D. W. Matula, "In-and-Out Conversions", 1968, for the 15 digits.
struct NumberWriter: ~Copyable {
    /// The maximum length of a number in bytes.
    static let longest = 32
    private static let slots = 2048
    /// Above this a decimal of 15 digits may not be unique.
    private static let bound = 1e15

    private let powers = PowersOfTen()
    private let wholePowers: UnsafeMutablePointer<UInt64>
    /// The number of decimals of each column's last number.
    private let decimals: UnsafeMutablePointer<Int>
    /// The cache: bits of numbers, and their texts with the length in byte 31.
    private let known: UnsafeMutablePointer<UInt64>
    private let texts: UnsafeMutablePointer<UInt8>

    init(columns: Int) {
        wholePowers = .allocate(capacity: 20)
        var power: UInt64 = 1
        for exponent in 0..<20 {
            wholePowers[exponent] = power
            power = power &* 10
        }
        decimals = .allocate(capacity: columns)
        decimals.initialize(repeating: 2, count: columns)
        known = .allocate(capacity: Self.slots)
        // Zero is never looked up, so it marks an empty slot.
        known.initialize(repeating: 0, count: Self.slots)
        texts = .allocate(capacity: Self.slots * Self.longest)
        texts.initialize(repeating: 0, count: Self.slots * Self.longest)
    }

    deinit {
        wholePowers.deallocate()
        decimals.deallocate()
        known.deallocate()
        texts.deallocate()
    }

    /// - Precondition: the value is finite.
    @inline(__always)
    func write(_ value: Double, _ column: Int, _ output: inout Digits.Output) {
        let magnitude = value.magnitude
        guard magnitude < Self.bound, magnitude >= 1e-4 else {
            return writeOther(value, &output)
        }
        let usual = decimals[column]
        let scaled = magnitude * powers[usual]
        if scaled < Self.bound {
            let whole = UInt64(scaled + 0.5)
            if Double(whole) / powers[usual] == magnitude {
                return writeShort(value, whole, usual, column, &output)
            }
        }
        // An upper bound of the integer digits from the binary exponent.
        let digits = ((Int(magnitude.exponent) + 1) * 1233) >> 12
        let power = 14 - digits
        let whole = UInt64(magnitude * powers[power] + 0.5)
        if whole < 1_000_000_000_000_000, Double(whole) / powers[power] == magnitude {
            return writeShort(value, whole, power, column, &output)
        }
        writeOther(value, &output)
    }

    @inline(__always)
    private func writeShort(
        _ value: Double, _ whole: UInt64, _ exponent: Int, _ column: Int,
        _ output: inout Digits.Output
    ) {
        var (whole, exponent) = (whole, exponent)
        while exponent > 0 {
            let (tenth, digit) = whole.quotientAndRemainder(dividingBy: 10)
            guard digit == 0 else { break }
            whole = tenth
            exponent -= 1
        }
        decimals[column] = max(exponent, decimals[column] - 1)
        if value < 0 {
            output.pointee = UInt8(ascii: "-")
            output += 1
        }
        let (integer, fraction) = whole.quotientAndRemainder(dividingBy: wholePowers[exponent])
        Digits.write(integer, &output)
        output.pointee = UInt8(ascii: ".")
        output += 1
        if exponent == 0 {
            output.pointee = UInt8(ascii: "0")
            output += 1
        } else if exponent <= 16 {
            Digits.write(fraction, padded: exponent, &output)
        } else {
            Digits.write(fraction / 100_000_000, padded: exponent - 8, &output)
            Digits.write(fraction % 100_000_000, padded: 8, &output)
        }
    }

    @inline(never)
    private func writeOther(_ value: Double, _ output: inout Digits.Output) {
        let bits = value.bitPattern
        let slot = Int((bits &* 0x9E37_79B9_7F4A_7C15) >> 53)
        let text = texts + slot * Self.longest
        if known[slot] != bits || bits == 0 {
            var described = value.description
            let length = described.withUTF8 { bytes in
                guard let base = bytes.baseAddress, bytes.count < Self.longest else { return 0 }
                text.update(from: base, count: bytes.count)
                return bytes.count
            }
            text[Self.longest - 1] = UInt8(length)
            known[slot] = bits
        }
        UnsafeMutableRawPointer(output).copyMemory(from: text, byteCount: Self.longest - 1)
        output += Int(text[Self.longest - 1])
    }
}

/// Writes integers as decimal digits, eight at a time.
///
/// Its functions may overwrite eight bytes after the last digit.
enum Digits {
    typealias Output = UnsafeMutablePointer<UInt8>

    /// The digits of a number below 10^8 as bytes 0 to 9, the most significant digit in the lowest
    /// byte.
    @inline(__always)
    private static func eight(_ value: UInt64) -> UInt64 {
        let halves = value / 10_000 | (value % 10_000) << 32
        // Divisions by 100 and 10 as multiplications, which are exact for this few digits.
        let hundreds = (halves &* 10_486) >> 20 & 0x0000_007F_0000_007F
        let pairs = hundreds | (halves &- hundreds &* 100) << 16
        let tens = (pairs &* 103) >> 10 & 0x000F_000F_000F_000F
        return tens | (pairs &- tens &* 10) << 8
    }

    @inline(__always)
    private static func store(_ digits: UInt64, _ output: Output) {
        UnsafeMutableRawPointer(output).storeBytes(
            of: (digits | 0x3030_3030_3030_3030).littleEndian, as: UInt64.self)
    }

    /// Writes a number without leading zeros.
    @inline(__always)
    static func write(_ value: UInt64, _ output: inout Output) {
        if value < 100_000_000 {
            short(value, &output)
        } else if value < 10_000_000_000_000_000 {
            short(value / 100_000_000, &output)
            store(eight(value % 100_000_000), output)
            output += 8
        } else {
            let (high, low) = value.quotientAndRemainder(dividingBy: 10_000_000_000_000_000)
            short(high, &output)
            store(eight(low / 100_000_000), output)
            store(eight(low % 100_000_000), output + 8)
            output += 16
        }
    }

    /// Writes a number below 10^`count` with leading zeros.
    ///
    /// - Parameter count: from 1 to 16.
    @inline(__always)
    static func write(_ value: UInt64, padded count: Int, _ output: inout Output) {
        if count <= 8 {
            store(eight(value) >> UInt64(8 * (8 - count)), output)
        } else {
            store(eight(value / 100_000_000) >> UInt64(8 * (16 - count)), output)
            store(eight(value % 100_000_000), output + (count - 8))
        }
        output += count
    }

    @inline(__always)
    static func write(_ value: Int64, _ output: inout Output) {
        if value < 0 {
            output.pointee = UInt8(ascii: "-")
            output += 1
        }
        write(value.magnitude, &output)
    }

    /// Writes microseconds as milliseconds with three decimals if necessary.
    @inline(__always)
    static func write(milliseconds microseconds: Int64, _ output: inout Output) {
        if microseconds < 0 {
            output.pointee = UInt8(ascii: "-")
            output += 1
        }
        let (whole, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
        write(whole, &output)
        if rest != 0 {
            output.pointee = UInt8(ascii: ".")
            output += 1
            write(rest, padded: 3, &output)
        }
    }

    @inline(__always)
    private static func short(_ value: UInt64, _ output: inout Output) {
        let digits = eight(value)
        let zeros = min(7, digits.trailingZeroBitCount / 8)
        store(digits >> UInt64(8 * zeros), output)
        output += 8 - zeros
    }
}
