import TestSupport

@testable import SampleStore

/// Series of integers as from sensors, counters and hostile callers.
enum IntegerSeries: CaseIterable {
    case constant, small, wide, extreme, walk, jitter, jitteredTimes, gridTimes, gaps, duplicates,
        backwards, multiples, counter, falls, blocksApart

    func values(_ count: Int, _ random: inout SplitMix) -> [Int64] {
        let start = Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)
        let now: Int64 = 1_790_000_000_000_000
        switch self {
        case .constant: return Array(repeating: start, count: count)
        case .small: return (0..<count).map { _ in .random(in: -9...9, using: &random) }
        case .wide:
            let bits = Int64.random(in: 0...62, using: &random)
            return (0..<count).map { _ in .random(in: -(1 << bits)...(1 << bits), using: &random) }
        case .extreme:
            return (0..<count).map { _ in
                [.min, .min + 1, -1, 0, 1, .max - 1, .max].randomElement(using: &random) ?? 0
            }
        case .walk:
            let bits = Int64.random(in: 0...40, using: &random)
            return sums(count, from: start, &random) {
                .random(in: -(1 << bits)...(1 << bits), using: &$0)
            }
        case .jitter:
            return (0..<count).map { start + Int64($0) * 977 + .random(in: 0...50, using: &random) }
        case .jitteredTimes:
            return (0..<count).map { row in
                now + Int64((Double(row) * 10_000.37).rounded())
                    + .random(in: -40...40, using: &random)
            }
        case .gridTimes: return (0..<count).map { now + Int64($0) * 10_000 }
        case .gaps:
            return sums(count, from: now, &random) {
                Int.random(in: 0..<50, using: &$0) == 0 ? 3_600_000_000 : 1_000_000
            }
        case .duplicates: return sums(count, from: now, &random) { .random(in: 0...1, using: &$0) }
        case .backwards:
            return sums(count, from: now, &random) {
                Int.random(in: 0..<90, using: &$0) == 0 ? -86_400_000_000 : 250_000
            }
        case .multiples:
            let factor = Int64.random(in: 2...100_000, using: &random)
            return (0..<count).map { _ in start + factor * .random(in: -500...500, using: &random) }
        case .counter:
            return sums(count, from: start, &random) { .random(in: 0...1500, using: &$0) }
        case .falls:
            // A large step between the first two samples and small ones afterwards, within 31 bits.
            let steps: [Int64] = [0, -1_060_000_000, -440_000_000]
            return (0..<count).map { row in
                start + steps.prefix(row % 128 + 1).reduce(0, +)
                    + .random(in: 0...1_000_000, using: &random)
            }
        case .blocksApart:
            return (0..<count).map { row in
                (row / 128 % 2 == 0 ? .min : .max - 9) + .random(in: 0...9, using: &random)
            }
        }
    }

    private func sums(
        _ count: Int, from start: Int64, _ random: inout SplitMix,
        _ step: (inout SplitMix) -> Int64
    ) -> [Int64] {
        var last = start
        return (0..<count).map { _ in
            defer { last &+= step(&random) }
            return last
        }
    }
}
