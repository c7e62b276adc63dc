/// Which counts may be told to those who may not see single samples.
enum Suppression {
    /// Those below the minimum are held back, and the smallest others too, until what is held back
    /// is not so few that the rest would tell it.
    ///
    /// - Parameter minimum: 0 tells all.
    static func isTold(_ counts: [Int], minimum: Int) -> [Bool] {
        var isTold = counts.map { $0 >= minimum }
        while true {
            let hidden = counts.indices.filter { !isTold[$0] }.map { counts[$0] }.reduce(0, +)
            guard hidden > 0, hidden < minimum,
                let next = counts.indices.filter({ isTold[$0] }).min(by: { counts[$0] < counts[$1] }
                )
            else { return isTold }
            isTold[next] = false
        }
    }
}
