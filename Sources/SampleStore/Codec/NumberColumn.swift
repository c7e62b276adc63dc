/// Encodes a column of doubles losslessly, as integers.
///
/// Sensors measure in steps, so most columns are integers times a power of two, a power of ten, or a
/// driver's factor. Other columns are stored as integers in the order of the doubles.
enum NumberColumn {
    /// How integers are converted to doubles, always with one correctly rounded operation.
    enum Scale: Equatable {
        /// The integer is the position of the double in the order of all doubles.
        case order
        /// The integer is divided by a power of ten, 10⁰ to 10¹⁵.
        case decimal(UInt8)
        /// The integer is divided by a power of two, 2⁰ to 2⁶⁰.
        case binary(UInt8)
        /// The integer is multiplied by a double.
        case step(Double)

        static let largestDecimal: UInt8 = 15
        static let largestBinary: UInt8 = 60

        /// The divisor of `decimal`; the factor of `binary` and `step`.
        @inline(__always) var factor: Double {
            switch self {
            case .order: 1
            case .decimal(let digits): Self.powersOfTen[Int(digits)]
            case .binary(let bits): Double(sign: .plus, exponent: -Int(bits), significand: 1)
            case .step(let step): step
            }
        }

        private static let powersOfTen: [Double] = [
            1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
        ]
    }

    static func encode(_ values: UnsafeBufferPointer<Double>, onto writer: inout ByteWriter) {
        guard !values.isEmpty else { return }
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: values.count) { integers in
            guard let start = integers.baseAddress else { return }
            let scale = StepSearch(values).scale(into: start)
            switch scale {
            case .order:
                writer.append(UInt8(0))
                for (index, value) in values.enumerated() { start[index] = order(of: value) }
            case .decimal(let digits): writer.append([1, digits])
            case .binary(let bits): writer.append([2, bits])
            case .step(let step):
                writer.append(UInt8(3))
                writer.append(step.bitPattern)
            }
            IntegerColumn.encode(
                UnsafeBufferPointer(start: start, count: values.count), onto: &writer)
        }
    }

    /// The position of a double in the order of all doubles; 0 for positive zero.
    @inline(__always)
    static func order(of value: Double) -> Int64 {
        let bits = Int64(bitPattern: value.bitPattern)
        return bits < 0 ? bits ^ .max : bits
    }

    @inline(__always)
    static func double(atOrder order: Int64) -> Double {
        Double(bitPattern: UInt64(bitPattern: order < 0 ? order ^ .max : order))
    }
}

/// Decodes a column of doubles; the bytes are borrowed, as in `IntegerColumnReader`.
struct NumberColumnReader {
    let integers: IntegerColumnReader
    let scale: NumberColumn.Scale

    init(_ bytes: UnsafeRawBufferPointer, count: Int) throws(ByteReader.Damage) {
        var reader = ByteReader(bytes)
        switch try reader.integer(UInt8.self) {
        case 0: scale = .order
        case 1:
            let digits = try reader.integer(UInt8.self)
            guard digits <= NumberColumn.Scale.largestDecimal else { throw ByteReader.Damage() }
            scale = .decimal(digits)
        case 2:
            let bits = try reader.integer(UInt8.self)
            guard bits <= NumberColumn.Scale.largestBinary else { throw ByteReader.Damage() }
            scale = .binary(bits)
        case 3:
            let step = Double(bitPattern: try reader.integer())
            guard step.isFinite else { throw ByteReader.Damage() }
            scale = .step(step)
        default: throw ByteReader.Damage()
        }
        integers = try IntegerColumnReader(reader.rest, count: count)
    }

    /// Decodes `rows` into `output`.
    func decode(_ rows: Range<Int>, into output: UnsafeMutablePointer<Double>) {
        switch scale {
        case .order:
            integers.decode(rows) { index, base, distances, count in
                for number in 0..<count {
                    output[index + number] = NumberColumn.double(
                        atOrder: base &+ Int64(distances[number]))
                }
            } wide: { index, values, count in
                for number in 0..<count {
                    output[index + number] = NumberColumn.double(atOrder: values[number])
                }
            }
        case .decimal:
            let divisor = scale.factor
            decode(rows, into: output) { $0 / divisor }
        case .binary, .step:
            let factor = scale.factor
            decode(rows, into: output) { $0 * factor }
        }
    }

    @inline(__always)
    private func decode(
        _ rows: Range<Int>, into output: UnsafeMutablePointer<Double>,
        _ scaled: (SIMD4<Double>) -> SIMD4<Double>
    ) {
        integers.decode(rows) { index, base, distances, count in
            let start = Double(base)
            let whole = count & ~3
            for number in stride(from: 0, to: whole, by: 4) {
                let four = UnsafeRawPointer(distances + number).loadUnaligned(as: SIMD4<Int32>.self)
                let value = scaled(SIMD4<Double>(four) + start) + 0
                UnsafeMutableRawPointer(output + index + number).storeBytes(
                    of: value, as: SIMD4<Double>.self)
            }
            for number in whole..<count {
                let value = scaled(SIMD4(repeating: start + Double(distances[number]))) + 0
                output[index + number] = value[0]
            }
        } wide: { index, values, count in
            for number in 0..<count {
                output[index + number] = (scaled(SIMD4(repeating: Double(values[number]))) + 0)[0]
            }
        }
    }
}

extension NumberColumnReader {
    func values(_ rows: Range<Int>) -> [Double] {
        Array(unsafeUninitializedCapacity: rows.count) { buffer, count in
            if let start = buffer.baseAddress { decode(rows, into: start) }
            count = rows.count
        }
    }
}

/// Finds the step of which all values of a column are multiples.
///
/// A step is valid only if it reproduces every value bit for bit, so a single negative zero or value off the
/// grid rules it out.
private struct StepSearch {
    typealias Scale = NumberColumn.Scale

    /// Integers and half-integers below 2⁵¹ are exact as doubles.
    private static let exactLimit = 2_251_799_813_685_248.0
    /// Adding and subtracting 1.5 · 2⁵² rounds a number below `exactLimit`.
    private static let rounder = 6_755_399_441_055_744.0
    /// With integers below this, searching for a coarser step does not pay.
    private static let smallLimit = 1_048_576.0
    private static let probes = 64

    private let values: UnsafeBufferPointer<Double>

    init(_ values: UnsafeBufferPointer<Double>) {
        self.values = values
    }

    /// - Parameter integers: receives the multiples of the step; undefined for `order`.
    func scale(into integers: UnsafeMutablePointer<Int64>) -> Scale {
        var best = Scale.order
        var size = Double.infinity
        if let bits = binaryDigits(), let largest = fill(integers, .binary(bits)) {
            (best, size) = (.binary(bits), largest)
            if size <= Self.smallLimit { return best }
        }
        // Every additional digit makes the integers ten times as large.
        var last = best
        for digits in decimalDigits() {
            last = .decimal(digits)
            guard let largest = fill(integers, last) else { continue }
            if largest < size { (best, size) = (last, largest) }
            break
        }
        if size > Self.smallLimit, let step = factor() {
            last = .step(step)
            if let largest = fill(integers, last), largest < size { (best, size) = (last, largest) }
        }
        if best != .order, best != last { _ = fill(integers, best) }
        return best
    }

    /// The binary fraction digits that the finest value needs.
    private func binaryDigits() -> UInt8? {
        var needed = 0
        for value in values where value != 0 {
            let digits =
                Double.significandBitCount
                - min(value.significandBitPattern.trailingZeroBitCount, Double.significandBitCount)
                - Int(value.exponent)
            needed = max(needed, digits)
            guard needed <= Int(Scale.largestBinary) else { return nil }
        }
        return UInt8(needed)
    }

    /// The possible numbers of decimal fraction digits, judged by some of the values.
    private func decimalDigits() -> ClosedRange<UInt8> {
        var needed: UInt8 = 0
        let stride = max(1, values.count / Self.probes)
        for index in Swift.stride(from: 0, to: values.count, by: stride) {
            while needed < Scale.largestDecimal,
                multiple(of: values[index], .decimal(needed)) == nil
            {
                needed += 1
            }
        }
        return needed...Scale.largestDecimal
    }

    /// The factor by which a driver may have multiplied integers.
    private func factor() -> Double? {
        let stride = max(1, values.count / Self.probes)
        let probes = Swift.stride(from: 0, to: values.count, by: stride).map { values[$0] }.sorted()
        var smallest = Double.infinity
        for (low, high) in zip(probes, probes.dropFirst()) where high > low {
            smallest = min(smallest, high - low)
        }
        guard let low = probes.first, let high = probes.last, smallest.isFinite else { return nil }
        let largest = abs(low) > abs(high) ? low : high
        // Neighbouring probes may be several steps apart.
        for parts in 1...8 {
            let count = (largest / smallest * Double(parts)).rounded()
            guard count != 0, abs(count) < Self.smallLimit else { return nil }
            var candidate = abs(largest / count).nextDown
            for _ in 0..<3 {
                if probes.allSatisfy({ multiple(of: $0, .step(candidate)) != nil }) {
                    return candidate
                }
                candidate = candidate.nextUp
            }
        }
        return nil
    }

    /// Converts the values to integers.
    ///
    /// - Returns: the largest magnitude; `nil` as soon as a value is off the grid.
    private func fill(_ integers: UnsafeMutablePointer<Int64>, _ scale: Scale) -> Double? {
        switch scale {
        case .order: nil
        case .decimal:
            fill(integers, times: scale.factor) { [factor = scale.factor] in $0 / factor }
        case .binary:
            fill(integers, times: 1 / scale.factor) { [factor = scale.factor] in $0 * factor }
        case .step(let step): fill(integers, times: 1 / step) { $0 * step }
        }
    }

    @inline(__always)
    private func fill(
        _ integers: UnsafeMutablePointer<Int64>, times inverse: Double,
        _ restore: (Double) -> Double
    ) -> Double? {
        var largest = 0.0
        for (index, value) in values.enumerated() {
            // Rounds to the nearest integer, faster than `rounded()`.
            let count = (value * inverse + Self.rounder) - Self.rounder
            guard abs(count) < Self.exactLimit,
                (restore(count) + 0).bitPattern == value.bitPattern
            else { return nil }
            largest = max(largest, abs(count))
            integers[index] = Int64(count)
        }
        return largest
    }

    private func multiple(of value: Double, _ scale: Scale) -> Double? {
        let (count, back): (Double, Double)
        switch scale {
        case .order: return nil
        case .decimal:
            count = (value * scale.factor).rounded()
            back = count / scale.factor
        case .binary, .step:
            count = (value / scale.factor).rounded()
            back = count * scale.factor
        }
        return abs(count) < Self.exactLimit && back + 0 == value ? count : nil
    }
}
