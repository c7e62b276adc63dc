/// Points parted into k clusters so that each lies near the centre of its own.
public struct KMeans: Hashable, Sendable {
    /// At most k: fewer when there are fewer different points.
    public let centres: [[Double]]
    /// The cluster of each point.
    public let labels: [Int]
    /// How many points each cluster has.
    public let sizes: [Int]
    /// The sum of the squares of the distances of the points to their centres.
    public let inertia: Double
    public let iterations: Int

    /// Clusters from centres chosen by chance, the same for the same seed on every machine.
    ///
    /// Seeded by k-means++: D. Arthur and S. Vassilvitskii, "k-means++: The Advantages of Careful
    /// Seeding", SODA 2007.
    /// - Parameters:
    ///   - k: at least 1.
    ///   - rounds: the most iterations.
    /// - Returns: `nil` of no points, without clusters, and where a distance is not finite.
    /// - Throws: `CancellationError`.
    public static func fit(
        _ points: Points, k: Int, seed: UInt64, rounds: Int = 100
    ) throws -> KMeans? {
        guard points.count > 0, k >= 1 else { return nil }
        var random = SeededGenerator(seed: seed)
        var chosen = [Int(random.unit() * Double(points.count))]
        var nearest = [Double](repeating: .infinity, count: points.count)
        while true {
            try Task.checkCancellation()
            var total = 0.0
            for place in nearest.indices {
                let distance = points.squaredDistance(place, to: points, chosen[chosen.count - 1])
                nearest[place] = min(nearest[place], distance)
                total += nearest[place]
            }
            guard total.isFinite else { return nil }
            guard chosen.count < k, total > 0 else { break }
            chosen.append(pick(nearest, random.unit() * total))
        }
        return try lloyd(points, from: Points(rows: chosen.map { Array(points[$0]) }), rounds)
    }

    /// Clusters from given centres.
    ///
    /// S. P. Lloyd, "Least Squares Quantization in PCM", IEEE Transactions on Information Theory 28
    /// (1982). Of equally near centres the first counts; a centre without points takes the point that is
    /// farthest from its own. Ends when no point changes its cluster, or after `rounds`.
    public static func lloyd(_ points: Points, from start: Points, _ rounds: Int) throws -> KMeans?
    {
        guard points.count > 0, start.count > 0, start.dimensions == points.dimensions else {
            return nil
        }
        var centres = start
        var (labels, distances) = assignment(points, centres)
        var iterations = 0
        while iterations < rounds {
            try Task.checkCancellation()
            iterations += 1
            centres = means(points, &labels, &distances, centres.count)
            let (next, nextDistances) = assignment(points, centres)
            let isSettled = next == labels
            (labels, distances) = (next, nextDistances)
            if isSettled { break }
        }
        let inertia = distances.reduce(0, +)
        guard inertia.isFinite else { return nil }
        var sizes = [Int](repeating: 0, count: centres.count)
        for label in labels { sizes[label] += 1 }
        return KMeans(
            centres: (0..<centres.count).map { Array(centres[$0]) }, labels: labels, sizes: sizes,
            inertia: inertia, iterations: iterations)
    }

    /// The first place at which the running sum of the weights is beyond the mark.
    private static func pick(_ weights: [Double], _ mark: Double) -> Int {
        var (sum, last) = (0.0, 0)
        for (place, weight) in weights.enumerated() where weight > 0 {
            sum += weight
            last = place
            if sum > mark { return place }
        }
        return last
    }

    private static func assignment(_ points: Points, _ centres: Points) -> ([Int], [Double]) {
        var labels = [Int](repeating: 0, count: points.count)
        var distances = [Double](repeating: 0, count: points.count)
        for place in labels.indices {
            var (best, least) = (0, points.squaredDistance(place, to: centres, 0))
            for centre in 1..<max(1, centres.count) {
                let distance = points.squaredDistance(place, to: centres, centre)
                if distance < least { (best, least) = (centre, distance) }
            }
            (labels[place], distances[place]) = (best, least)
        }
        return (labels, distances)
    }

    private static func means(
        _ points: Points, _ labels: inout [Int], _ distances: inout [Double], _ k: Int
    ) -> Points {
        var sizes = [Int](repeating: 0, count: k)
        for label in labels { sizes[label] += 1 }
        for empty in sizes.indices where sizes[empty] == 0 {
            guard let farthest = distances.indices.max(by: { distances[$0] < distances[$1] }),
                distances[farthest] > 0
            else { continue }
            sizes[labels[farthest]] -= 1
            (labels[farthest], distances[farthest], sizes[empty]) = (empty, 0, 1)
        }
        let dimensions = points.dimensions
        var sums = [Double](repeating: 0, count: k * dimensions)
        for (place, label) in labels.enumerated() {
            for (axis, coordinate) in points[place].enumerated() {
                sums[label * dimensions + axis] += coordinate
            }
        }
        return Points(
            rows: (0..<k).filter { sizes[$0] > 0 }.map { cluster in
                (0..<dimensions).map { sums[cluster * dimensions + $0] / Double(sizes[cluster]) }
            })
    }
}
