import Samples

/// A parsed decimal number: a mantissa and a power of ten.
///
/// The grammar is that of RFC 8259, section 6.
struct DecimalLiteral {
    /// The maximum length of a literal; more digits add no precision.
    static let longest = 128

    /// All digits as an integer; meaningless unless `isExact`, which allows at most 19 digits.
    private(set) var mantissa: UInt64 = 0
    private(set) var exponent = 0
    private(set) var isNegative = false
    /// Whether the literal has neither fraction nor exponent.
    private(set) var isWhole = true
    /// Whether the mantissa holds every digit without overflow.
    private var isExact = true
    private let start: UnsafePointer<UInt8>
    private var length = 0

    /// Reads from `position` and advances it past the number, or to the first invalid byte.
    ///
    /// - Precondition: the text is followed by a byte that cannot belong to a number.
    @inline(__always)
    init(_ position: inout UnsafePointer<UInt8>) throws(RowError) {
        start = position
        var next = position
        if next.pointee == UInt8(ascii: "-") {
            isNegative = true
            next += 1
        }
        let first = next
        var digit = next.pointee &- 0x30
        guard digit <= 9 else {
            position = next
            throw RowError(.notNumber)
        }
        var value: UInt64 = 0
        repeat {
            value = value &* 10 &+ UInt64(digit)
            next += 1
            digit = next.pointee &- 0x30
        } while digit <= 9
        var digits = next - first
        if first.pointee == 0x30, digits > 1 { throw RowError(.notNumber) }
        var shift = 0
        if next.pointee == UInt8(ascii: ".") {
            isWhole = false
            next += 1
            let fraction = next
            digit = next.pointee &- 0x30
            while digit <= 9 {
                value = value &* 10 &+ UInt64(digit)
                next += 1
                digit = next.pointee &- 0x30
            }
            shift = fraction - next
            guard shift < 0 else {
                position = next
                throw RowError(.notNumber)
            }
            digits -= shift
        }
        if next.pointee | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            next += 1
            var isDown = false
            if next.pointee == UInt8(ascii: "-") || next.pointee == UInt8(ascii: "+") {
                isDown = next.pointee == UInt8(ascii: "-")
                next += 1
            }
            digit = next.pointee &- 0x30
            guard digit <= 9 else {
                position = next
                throw RowError(.notNumber)
            }
            var given = 0
            while digit <= 9 {
                // Beyond this every number is zero or too large.
                if given < 100_000 { given = given * 10 + Int(digit) }
                next += 1
                digit = next.pointee &- 0x30
            }
            shift += isDown ? -given : given
        }
        length = next - start
        guard length <= Self.longest else { throw RowError(.longNumber) }
        mantissa = value
        exponent = shift
        if digits > 19 { isExact = false }
        position = next
    }

    /// The nearest double, or `nil` if it is not finite.
    ///
    /// A mantissa up to 2^53 and an exact power of ten need a single operation, which rounds once.
    /// Source: W. D. Clinger, "How to Read Floating Point Numbers Accurately", 1990.
    @inline(__always)
    func double(_ powers: borrowing PowersOfTen) -> Double? {
        guard isExact, mantissa <= 1 << 53, exponent >= -PowersOfTen.largest,
            exponent <= PowersOfTen.largest
        else { return roundedDouble() }
        let whole = Double(mantissa)
        let value = exponent < 0 ? whole / powers[-exponent] : whole * powers[exponent]
        return isNegative ? -value : value
    }

    /// The integer, or `nil` if it is not one, does not fit in 64 bits, or is written with a fraction or an
    /// exponent and needs more than 53 bits.
    @inline(__always)
    func integer() -> Int64? {
        guard isWhole, isExact else { return roundedInteger() }
        if isNegative {
            guard mantissa <= 1 << 63 else { return nil }
            return Int64(truncatingIfNeeded: 0 &- mantissa)
        }
        return Int64(exactly: mantissa)
    }

    /// The time in microseconds, rounded, if the literal is in milliseconds; `nil` if it exceeds 64
    /// bits.
    @inline(__always)
    func microseconds() -> Int64? {
        let shift = exponent + 3
        guard isExact, shift >= 0, shift <= 3, mantissa < 1 << 53 else {
            return roundedMicroseconds()
        }
        var value = Int64(mantissa)
        if shift >= 1 { value &*= 10 }
        if shift >= 2 { value &*= 10 }
        if shift >= 3 { value &*= 10 }
        return isNegative ? -value : value
    }

    /// The time in microseconds, rounded, if the literal is in seconds; `nil` if it exceeds 64 bits.
    func microsecondsOfSeconds() -> Int64? { roundedMicroseconds(perUnit: 6) }

    private var text: String {
        String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)
    }

    @inline(never)
    private func roundedDouble() -> Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    @inline(never)
    private func roundedInteger() -> Int64? {
        if isWhole { return Int64(text) }
        guard let value = Double(text), value.magnitude < 0x1p53 else { return nil }
        return Int64(exactly: value)
    }

    /// - Parameter power: a unit of the literal is 10^`power` microseconds, at most 10^6.
    @inline(never)
    private func roundedMicroseconds(perUnit power: Int = 3) -> Int64? {
        let shift = exponent + power
        guard isExact, (-19...power).contains(shift) else {
            return roundedDouble().flatMap {
                Timestamp(milliseconds: power == 6 ? $0 * 1000 : $0)?.microseconds
            }
        }
        var scale: UInt64 = 1
        for _ in 0..<abs(shift) { scale *= 10 }
        var value = mantissa
        if shift >= 0 {
            let scaled = value.multipliedReportingOverflow(by: scale)
            guard !scaled.overflow else { return nil }
            value = scaled.partialValue
        } else {
            let rest = value % scale
            value = value / scale + (rest >= scale - rest ? 1 : 0)
        }
        guard let whole = Int64(exactly: value) else { return nil }
        return isNegative ? -whole : whole
    }
}

/// The powers of ten that a double holds exactly.
struct PowersOfTen: ~Copyable {
    static let largest = 22
    private let values: UnsafeMutablePointer<Double>

    init() {
        values = .allocate(capacity: Self.largest + 1)
        var power = 1.0
        for exponent in 0...Self.largest {
            values[exponent] = power
            power *= 10
        }
    }

    deinit { values.deallocate() }

    /// - Precondition: `exponent` is from 0 to `largest`.
    @inline(__always)
    subscript(exponent: Int) -> Double { values[exponent] }
}
