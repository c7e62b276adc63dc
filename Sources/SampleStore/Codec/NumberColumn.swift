/// A column of doubles as bytes: as integers, when they are multiples of one step, and bit for bit
/// in any case.
///
/// Sensors measure in steps, so most columns are integers times a power of two, of ten, or a
/// driver's factor. What is not is kept as the integers whose order is that of the doubles.
enum NumberColumn {
    /// How integers become doubles; each way is one correctly rounded operation.
    enum Scale: Equatable {
        /// The double whose place in the order of doubles this is.
        case order
        /// Divided by a power of ten, 10⁰ to 10¹⁵.
        case decimal(UInt8)
        /// Divided by a power of two, 2⁰ to 2⁶⁰.
        case binary(UInt8)
        /// Times a double.
        case step(Double)

        static let largestDecimal: UInt8 = 15
        static let largestBinary: UInt8 = 60

        /// What a double is divided by, or multiplied with.
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
                for (place, value) in values.enumerated() { start[place] = order(of: value) }
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

    /// The place of a double among all doubles; 0 for positive zero.
    @inline(__always)
    static func order(of value: Double) -> Int64 {
        let bits = Int64(bitPattern: value.bitPattern)
        return bits < 0 ? bits ^ .max : bits
    }

    @inline(__always)
    static func double(atOrder place: Int64) -> Double {
        Double(bitPattern: UInt64(bitPattern: place < 0 ? place ^ .max : place))
    }
}
