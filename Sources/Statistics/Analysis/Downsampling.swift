/// Fewer points that look like all: largest triangle, three buckets.
///
/// S. Steinarsson, "Downsampling Time Series for Visual Representation", University of Iceland
/// (2013), section 4.2: of each bucket the point that spans the largest triangle with the point
/// that was kept before and the mean of the next bucket.
public enum Downsampling {
    /// The places of the points to keep, ascending; the first and the last are among them.
    ///
    /// - Parameter limit: how many to keep. All are kept when there are no more than that; a limit
    ///   below 3 keeps only the ends.
    public static func places(of series: Series, keeping limit: Int) -> [Int] {
        let count = series.count
        guard count > limit, count > 2 else { return Array(series.indices) }
        guard limit > 2 else { return limit == 2 ? [0, count - 1] : limit == 1 ? [0] : [] }
        let start = series.times[0]
        let seconds = series.times.map { Series.seconds(from: start, to: $0) }
        // As in the paper: the ends have buckets of their own, the rest share what is between.
        let width = Double(count - 2) / Double(limit - 2)
        func bound(_ bucket: Int) -> Int { min(Int(Double(bucket) * width) + 1, count) }
        var places = [0]
        for bucket in 0..<(limit - 2) {
            let next = bound(bucket + 1)..<max(bound(bucket + 2), bound(bucket + 1) + 1)
            let mean = center(next.clamped(to: 0..<count), seconds, series.values)
            let kept = places[places.count - 1]
            var (best, largest) = (bound(bucket), -1.0)
            for place in bound(bucket)..<bound(bucket + 1) {
                let area = abs(
                    (seconds[kept] - mean.x) * (series.values[place] - series.values[kept])
                        - (seconds[kept] - seconds[place]) * (mean.y - series.values[kept]))
                if area > largest { (best, largest) = (place, area) }
            }
            places.append(best)
        }
        return places + [count - 1]
    }

    private static func center(
        _ range: Range<Int>, _ x: [Double], _ y: [Double]
    ) -> (x: Double, y: Double) {
        let sum = range.reduce((x: 0.0, y: 0.0)) { ($0.x + x[$1], $0.y + y[$1]) }
        let count = Double(max(1, range.count))
        return (sum.x / count, sum.y / count)
    }
}
