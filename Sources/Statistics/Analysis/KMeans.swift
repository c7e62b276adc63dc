/// A partition of points into k clusters that minimises the squared distances to their centres.
///
/// ```swift
/// let points = Points(columns: [[1, 1.1, 8], [2, 2.1, 9]])
/// try KMeans.fit(points, k: 2, seed: 1)?.sizes.sorted()  // [1, 2]
/// ```
public struct KMeans: Hashable, Sendable {
    /// The centres, k × dimensions; fewer than k when there are fewer different points.
    public let centres: [[Double]]
    /// The cluster of each point, an index into ``centres``.
    public let labels: [Int]
    /// The number of points in each cluster.
    public let sizes: [Int]
    /// The sum of the squared distances of the points to their centres.
    public let inertia: Double
    /// The number of iterations until convergence, or the limit.
    public let iterations: Int

    /// Clusters points from randomly chosen centres; the same seed gives the same result on every machine.
    ///
    /// Centres are seeded by k-means++: D. Arthur and S. Vassilvitskii, "k-means++: The Advantages of Careful
    /// Seeding", SODA 2007.
    /// - Parameters:
    ///   - k: the number of clusters, at least 1.
    ///   - rounds: the maximum number of iterations.
    /// - Returns: `nil` for no points, for `k` below 1, and when a distance is not finite.
    /// - Throws: `CancellationError` when the task is cancelled.
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
            for index in nearest.indices {
                let distance = points.squaredDistance(index, to: points, chosen[chosen.count - 1])
                nearest[index] = min(nearest[index], distance)
                total += nearest[index]
            }
            guard total.isFinite else { return nil }
            guard chosen.count < k, total > 0 else { break }
            chosen.append(pick(nearest, random.unit() * total))
        }
        return try lloyd(points, from: Points(rows: chosen.map { Array(points[$0]) }), rounds)
    }

    /// Clusters points from given centres.
    ///
    /// S. P. Lloyd, "Least Squares Quantization in PCM", IEEE Transactions on Information Theory 28
    /// (1982). Of equally near centres the first is chosen; an empty cluster takes the point that is
    /// farthest from its centre. Ends when no point changes its cluster, or after `rounds`.
    static func lloyd(_ points: Points, from start: Points, _ rounds: Int) throws -> KMeans? {
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

    /// The first index at which the cumulative weight exceeds `mark`.
    private static func pick(_ weights: [Double], _ mark: Double) -> Int {
        var (sum, last) = (0.0, 0)
        for (index, weight) in weights.enumerated() where weight > 0 {
            sum += weight
            last = index
            if sum > mark { return index }
        }
        return last
    }

    private static func assignment(_ points: Points, _ centres: Points) -> ([Int], [Double]) {
        var labels = [Int](repeating: 0, count: points.count)
        var distances = [Double](repeating: 0, count: points.count)
        for index in labels.indices {
            var (best, least) = (0, points.squaredDistance(index, to: centres, 0))
            for centre in 1..<max(1, centres.count) {
                let distance = points.squaredDistance(index, to: centres, centre)
                if distance < least { (best, least) = (centre, distance) }
            }
            (labels[index], distances[index]) = (best, least)
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
        for (index, label) in labels.enumerated() {
            for (axis, coordinate) in points[index].enumerated() {
                sums[label * dimensions + axis] += coordinate
            }
        }
        return Points(
            rows: (0..<k).filter { sizes[$0] > 0 }.map { cluster in
                (0..<dimensions).map { sums[cluster * dimensions + $0] / Double(sizes[cluster]) }
            })
    }
}

/// A deterministic random number generator.
///
/// SplitMix64: G. L. Steele, D. Lea and C. H. Flood, "Fast Splittable Pseudorandom Number
/// Generators", OOPSLA 2014.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A random number in [0, 1) with 53 random bits.
    mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }
}
