import TestSupport

@testable import SampleStore

/// Series of finite numbers as from sensors and hostile callers.
enum NumberSeries: CaseIterable {
    case constant, zeros, decimal, binary, factor, floats, walk, noise, bits, subnormal, huge,
        nearlyGrid, wholes, falls

    func values(_ count: Int, _ random: inout SplitMix) -> [Double] {
        let start = Double.random(in: -1000...1000, using: &random)
        var last = start
        switch self {
        case .constant: return Array(repeating: start, count: count)
        case .zeros:
            return (0..<count).map { _ in Bool.random(using: &random) ? 0.0 : -0.0 }
        case .decimal:
            let digits = Int.random(in: 0...15, using: &random)
            let unit = (0..<digits).reduce(1.0) { value, _ in value * 10 }
            return (0..<count).map { _ in
                Double(Int64.random(in: -900_000...900_000, using: &random)) / unit
            }
        case .binary:
            let unit = Double(
                sign: .plus, exponent: -.random(in: 0...60, using: &random), significand: 1)
            return (0..<count).map { _ in
                Double(Int64.random(in: -65_536...65_536, using: &random)) * unit
            }
        case .factor:
            // As from an IIO driver: an integer times the scale of the channel.
            let scale = [0.009_576_807, 0.000_598_550, 0.038_307, 1.0 / 3].randomElement(
                using: &random)
            return (0..<count).map { _ in
                Double(Int64.random(in: -2048...2047, using: &random)) * (scale ?? 1)
            }
        case .floats:
            return (0..<count).map { _ in Double(Float.random(in: -40...120, using: &random)) }
        case .walk:
            return (0..<count).map { _ in
                last += .random(in: -0.5...0.5, using: &random)
                return last
            }
        case .noise: return (0..<count).map { _ in .random(in: -1...1, using: &random) }
        case .bits:
            return (0..<count).map { _ in
                let number = Double(bitPattern: random.next())
                return number.isFinite ? number : 0
            }
        case .subnormal:
            return (0..<count).map { _ in
                Double(
                    bitPattern: UInt64.random(in: 0..<9, using: &random) | random.next() & 1 << 63)
            }
        case .huge:
            return (0..<count).map { _ in
                [-1, 0, 1].map { $0 * .greatestFiniteMagnitude }.randomElement(using: &random) ?? 0
            }
        case .nearlyGrid:
            return (0..<count).map { row in
                let number = Double(Int.random(in: -500...500, using: &random)) / 100
                return row == count - 1 ? number.nextUp : number
            }
        case .wholes:
            // Around the limit up to which integers are stored exactly.
            return (0..<count).map { _ in
                Double(Int64.random(in: -(1 << 52)...(1 << 52), using: &random))
            }
        case .falls:
            return IntegerSeries.falls.values(count, &random).map { Double($0) / 1000 }
        }
    }
}
