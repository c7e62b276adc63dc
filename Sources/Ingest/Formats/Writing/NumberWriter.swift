/// Writes doubles as the shortest decimals that read back the same, as `description` does.
///
/// A decimal of at most 15 digits is the only one of them that stands for its double: where
/// k/10^e is the number, with k below 10^15, the digits of k are the shortest. One try with the
/// largest e tells whether there is such a k. Other numbers are remembered by their bits, because
/// quantised values come again, or described by the standard library.
///
/// Source: D. W. Matula, "In-and-Out Conversions", 1968, for the 15 digits.
struct NumberWriter: ~Copyable {
    /// The most bytes of a number.
    static let longest = 32
    private static let slots = 2048
    /// Above it a decimal of 15 digits is no more sure to be the only one.
    private static let bound = 1e15

    private let powers = PowersOfTen()
    private let wholePowers: UnsafeMutablePointer<UInt64>
    /// The decimals that each column's last number had.
    private let decimals: UnsafeMutablePointer<Int>
    /// Bits of numbers, and their texts with a length at byte 31.
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
        // Zero is never looked up here.
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
    func write(_ value: Double, _ column: Int, _ place: inout Digits.Place) {
        let magnitude = value.magnitude
        guard magnitude < Self.bound, magnitude >= 1e-4 else {
            return writeOther(value, &place)
        }
        let usual = decimals[column]
        let scaled = magnitude * powers[usual]
        if scaled < Self.bound {
            let whole = UInt64(scaled + 0.5)
            if Double(whole) / powers[usual] == magnitude {
                return writeShort(value, whole, usual, column, &place)
            }
        }
        // No more integer digits than the binary exponent allows.
        let digits = ((Int(magnitude.exponent) + 1) * 1233) >> 12
        let most = 14 - digits
        let whole = UInt64(magnitude * powers[most] + 0.5)
        if whole < 1_000_000_000_000_000, Double(whole) / powers[most] == magnitude {
            return writeShort(value, whole, most, column, &place)
        }
        writeOther(value, &place)
    }

    // MARK: - Private

    @inline(__always)
    private func writeShort(
        _ value: Double, _ whole: UInt64, _ exponent: Int, _ column: Int,
        _ place: inout Digits.Place
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
            place.pointee = UInt8(ascii: "-")
            place += 1
        }
        let (integer, fraction) = whole.quotientAndRemainder(dividingBy: wholePowers[exponent])
        Digits.write(integer, &place)
        place.pointee = UInt8(ascii: ".")
        place += 1
        if exponent == 0 {
            place.pointee = UInt8(ascii: "0")
            place += 1
        } else if exponent <= 16 {
            Digits.write(fraction, padded: exponent, &place)
        } else {
            Digits.write(fraction / 100_000_000, padded: exponent - 8, &place)
            Digits.write(fraction % 100_000_000, padded: 8, &place)
        }
    }

    @inline(never)
    private func writeOther(_ value: Double, _ place: inout Digits.Place) {
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
        UnsafeMutableRawPointer(place).copyMemory(from: text, byteCount: Self.longest - 1)
        place += Int(text[Self.longest - 1])
    }
}
