extension Collection where Element: Equatable {
    /// The number of elements to insert, delete or replace to get another collection (the Levenshtein
    /// distance), in time and space proportional to the product of the counts.
    ///
    /// - Parameter countsExchanges: whether two exchanged neighbours are one change instead of two
    ///   (the optimal string alignment distance).
    package func editDistance(to other: some Collection<Element>, countsExchanges: Bool = false)
        -> Int
    {
        let (mine, theirs) = (Array(self), Array(other))
        var rows = [Array(0...theirs.count)]
        for i in mine.indices {
            var row = [i + 1]
            for j in theirs.indices {
                let replaced = rows[i][j] + (mine[i] == theirs[j] ? 0 : 1)
                var least = Swift.min(rows[i][j + 1] + 1, row[j] + 1, replaced)
                if countsExchanges, i > 0, j > 0, mine[i] == theirs[j - 1], mine[i - 1] == theirs[j]
                {
                    least = Swift.min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[mine.count][theirs.count]
    }
}
