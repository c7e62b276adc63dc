/// Looks for the step that a column of doubles is made of.
///
/// A step counts only when every value is given back bit for bit; so a negative zero, or one value
/// off the grid, leaves none.
struct StepSearch {
    typealias Scale = NumberColumn.Scale

    /// Integers below are exact as doubles and as halves: 2⁵¹.
    private static let exactLimit = 2_251_799_813_685_248.0
    /// What added and taken off again rounds a number below the limit: 1.5 · 2⁵².
    private static let rounder = 6_755_399_441_055_744.0
    /// A grid of so few steps is as good as any.
    private static let smallLimit = 1_048_576.0
    private static let probes = 64

    private let values: UnsafeBufferPointer<Double>

    init(_ values: UnsafeBufferPointer<Double>) {
        self.values = values
    }

    /// - Parameter integers: room for the multiples of the step; not valid for `order`.
    func scale(into integers: UnsafeMutablePointer<Int64>) -> Scale {
        var best = Scale.order
        var size = Double.infinity
        if let bits = binaryDigits(), let largest = fill(integers, .binary(bits)) {
            (best, size) = (.binary(bits), largest)
            if size <= Self.smallLimit { return best }
        }
        // Each digit more makes the integers ten times as large.
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

    /// Binary digits behind the point that the finest value needs.
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

    /// The numbers of decimal digits behind the point that a few values can have, fewest first.
    private func decimalDigits() -> ClosedRange<UInt8> {
        var needed: UInt8 = 0
        let stride = max(1, values.count / Self.probes)
        for place in Swift.stride(from: 0, to: values.count, by: stride) {
            while needed < Scale.largestDecimal,
                multiple(of: values[place], .decimal(needed)) == nil
            {
                needed += 1
            }
        }
        return needed...Scale.largestDecimal
    }

    /// The factor that a driver may have multiplied whole numbers with.
    private func factor() -> Double? {
        let stride = max(1, values.count / Self.probes)
        let probes = Swift.stride(from: 0, to: values.count, by: stride).map { values[$0] }.sorted()
        var smallest = Double.infinity
        for (low, high) in zip(probes, probes.dropFirst()) where high > low {
            smallest = min(smallest, high - low)
        }
        guard let low = probes.first, let high = probes.last, smallest.isFinite else { return nil }
        let largest = abs(low) > abs(high) ? low : high
        // Neighbours in a few values may be more than one step apart.
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

    /// The integers that the values are with this scale.
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
        for (place, value) in values.enumerated() {
            // To the nearest whole number, which is cheaper so than by a call.
            let count = (value * inverse + Self.rounder) - Self.rounder
            guard abs(count) < Self.exactLimit,
                (restore(count) + 0).bitPattern == value.bitPattern
            else { return nil }
            largest = max(largest, abs(count))
            integers[place] = Int64(count)
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
