/// Writes whole numbers as decimal digits, eight at a time.
///
/// Each may overwrite eight bytes behind the last digit.
enum Digits {
    typealias Place = UnsafeMutablePointer<UInt8>

    /// The digits of a number below 10^8 as bytes 0 to 9, the first lowest.
    @inline(__always)
    private static func eight(_ value: UInt64) -> UInt64 {
        let halves = value / 10_000 | (value % 10_000) << 32
        // Divisions by 100 and 10 as multiplications that are exact for so few digits.
        let hundreds = (halves &* 10_486) >> 20 & 0x0000_007F_0000_007F
        let pairs = hundreds | (halves &- hundreds &* 100) << 16
        let tens = (pairs &* 103) >> 10 & 0x000F_000F_000F_000F
        return tens | (pairs &- tens &* 10) << 8
    }

    @inline(__always)
    private static func store(_ digits: UInt64, _ place: Place) {
        UnsafeMutableRawPointer(place).storeBytes(
            of: (digits | 0x3030_3030_3030_3030).littleEndian, as: UInt64.self)
    }

    /// Writes a number without leading zeros.
    @inline(__always)
    static func write(_ value: UInt64, _ place: inout Place) {
        if value < 100_000_000 {
            short(value, &place)
        } else if value < 10_000_000_000_000_000 {
            short(value / 100_000_000, &place)
            store(eight(value % 100_000_000), place)
            place += 8
        } else {
            let (high, low) = value.quotientAndRemainder(dividingBy: 10_000_000_000_000_000)
            short(high, &place)
            store(eight(low / 100_000_000), place)
            store(eight(low % 100_000_000), place + 8)
            place += 16
        }
    }

    /// Writes a number below 10^`count` with leading zeros.
    ///
    /// - Parameter count: from 1 to 16.
    @inline(__always)
    static func write(_ value: UInt64, padded count: Int, _ place: inout Place) {
        if count <= 8 {
            store(eight(value) >> UInt64(8 * (8 - count)), place)
        } else {
            store(eight(value / 100_000_000) >> UInt64(8 * (16 - count)), place)
            store(eight(value % 100_000_000), place + (count - 8))
        }
        place += count
    }

    @inline(__always)
    static func write(_ value: Int64, _ place: inout Place) {
        if value < 0 {
            place.pointee = UInt8(ascii: "-")
            place += 1
        }
        write(value.magnitude, &place)
    }

    /// Writes microseconds as milliseconds, what is not whole as three more digits.
    @inline(__always)
    static func write(milliseconds microseconds: Int64, _ place: inout Place) {
        if microseconds < 0 {
            place.pointee = UInt8(ascii: "-")
            place += 1
        }
        let (whole, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
        write(whole, &place)
        if rest != 0 {
            place.pointee = UInt8(ascii: ".")
            place += 1
            write(rest, padded: 3, &place)
        }
    }

    @inline(__always)
    private static func short(_ value: UInt64, _ place: inout Place) {
        let digits = eight(value)
        let zeros = min(7, digits.trailingZeroBitCount / 8)
        store(digits >> UInt64(8 * zeros), place)
        place += 8 - zeros
    }
}
