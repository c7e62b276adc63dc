/// The place of each number among all, equal ones sharing the mean of theirs.
public enum Ranks {
    /// Ranks from 1, in the order of the numbers; NaN is ranked above all.
    public static func of(_ numbers: [Double]) -> [Double] {
        let order = numbers.indices.sorted { left, right in
            let (first, second) = (numbers[left], numbers[right])
            return first < second || (second.isNaN && !first.isNaN)
        }
        var ranks = [Double](repeating: 0, count: numbers.count)
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, numbers[order[end]] == numbers[order[start]] { end += 1 }
            let shared = Double(start + end + 1) / 2
            for place in start..<end { ranks[order[place]] = shared }
            start = end
        }
        return ranks
    }

    /// Spearman's rank correlation: Pearson's of the ranks; `nil` where one side does not vary.
    ///
    /// C. Spearman, "The Proof and Measurement of Association between Two Things", American Journal
    /// of Psychology 15 (1904).
    public static func correlation(_ x: [Double], _ y: [Double]) -> Double? {
        let count = min(x.count, y.count)
        return Comoments(of(Array(x.prefix(count))), of(Array(y.prefix(count)))).correlation
    }
}
