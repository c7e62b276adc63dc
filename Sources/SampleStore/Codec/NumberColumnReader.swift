/// Takes doubles out of a column; see `IntegerColumnReader` for what holds of its bytes.
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

    /// Writes the values of `rows` to `output`.
    func decode(_ rows: Range<Int>, into output: UnsafeMutablePointer<Double>) {
        switch scale {
        case .order:
            integers.decode(rows) { place, base, distances, count in
                for number in 0..<count {
                    output[place + number] = NumberColumn.double(
                        atOrder: base &+ Int64(distances[number]))
                }
            } wide: { place, values, count in
                for number in 0..<count {
                    output[place + number] = NumberColumn.double(atOrder: values[number])
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
        integers.decode(rows) { place, base, distances, count in
            let start = Double(base)
            let whole = count & ~3
            for number in stride(from: 0, to: whole, by: 4) {
                let four = UnsafeRawPointer(distances + number).loadUnaligned(as: SIMD4<Int32>.self)
                let value = scaled(SIMD4<Double>(four) + start) + 0
                UnsafeMutableRawPointer(output + place + number).storeBytes(
                    of: value, as: SIMD4<Double>.self)
            }
            for number in whole..<count {
                let value = scaled(SIMD4(repeating: start + Double(distances[number]))) + 0
                output[place + number] = value[0]
            }
        } wide: { place, values, count in
            for number in 0..<count {
                output[place + number] = (scaled(SIMD4(repeating: Double(values[number]))) + 0)[0]
            }
        }
    }
}
