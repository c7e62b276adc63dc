import Glibc

/// How much a distribution leaves open, in bits.
///
/// −Σ p·log₂ p over the shares p that are not 0: C. E. Shannon, "A Mathematical Theory of
/// Communication", Bell System Technical Journal 27 (1948).
public enum Entropy {
    /// - Parameter counts: how often each outcome was seen; what is below 1 does not count.
    /// - Returns: 0 when there was one outcome only; `nil` when there was none.
    public static func bits(counts: some Sequence<Int>) -> Double? {
        // In one order, so that the same distribution has the same entropy to the last bit.
        let seen = counts.filter { $0 > 0 }.sorted()
        let total = seen.reduce(0.0) { $0 + Double($1) }
        guard total > 0 else { return nil }
        return seen.reduce(0.0) { sum, count in
            let share = Double(count) / total
            return sum - share * log2(share)
        } + 0
    }
}
