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

    /// The maximum number of starts.
    static let startLimit = 10
    /// The maximum of starts × points × clusters × dimensions, except that there is always one start.
    private static let startBudget = 5_000_000

    /// The best of several clusterings from randomly chosen centres; the same seed gives the same result on
    /// every machine.
    ///
    /// Centres are seeded by k-means++: D. Arthur and S. Vassilvitskii, "k-means++: The Advantages of Careful
    /// Seeding", SODA 2007. Each start ends in a local minimum; the one with the least ``inertia`` is
    /// chosen, of equal ones the first, and refined by moving single points. There are 10 starts, fewer if
    /// count × k × dimensions exceeds 500 000, and only one if it exceeds 2.5 million. An iteration of a
    /// start takes O(count · k · dimensions) time, and the memory is that of a few numbers for each point.
    ///
    /// - Parameters:
    ///   - k: the number of clusters, at least 1.
    ///   - rounds: the maximum number of iterations of each start.
    /// - Returns: `nil` for no points, for `k` below 1, and when a distance is not finite.
    /// - Throws: `CancellationError` when the task is cancelled.
    public static func fit(
        _ points: Points, k: Int, seed: UInt64, rounds: Int = 100
    ) throws -> KMeans? {
        guard points.count > 0, k >= 1 else { return nil }
        var random = SeededGenerator(seed: seed)
        var best: KMeans?
        for _ in 0..<starts(coordinates: points.coordinates.count, k: k) {
            guard let centres = try seeds(points, k, &random),
                let found = try lloyd(points, from: centres, rounds)
            else { return nil }
            if found.inertia < best?.inertia ?? .infinity { best = found }
            // Every point is a centre.
            if found.inertia == 0 { break }
        }
        return try best?.refined(points, rounds)
    }

    /// The number of starts, 1 to 10.
    static func starts(coordinates: Int, k: Int) -> Int {
        let (size, overflow) = coordinates.multipliedReportingOverflow(by: k)
        return overflow ? 1 : min(max(1, startBudget / max(1, size)), startLimit)
    }

    /// Up to k different points, chosen by k-means++; `nil` when a distance is not finite.
    static func seeds(
        _ points: Points, _ k: Int, _ random: inout SeededGenerator
    ) throws -> Points? {
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
        return Points(rows: chosen.map { Array(points[$0]) })
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

    /// The same clusters after single points were moved to another cluster wherever that reduces the inertia.
    ///
    /// The exchange step of J. A. Hartigan, "Clustering Algorithms" (1975), chapter 4: unlike an iteration of
    /// Lloyd it considers how both centres move with the point, and so leaves many of its local minima. The
    /// result is again a fixed point of ``lloyd(_:from:_:)``. Each of at most `rounds` passes takes as long as
    /// an iteration.
    private func refined(_ points: Points, _ rounds: Int) throws -> KMeans {
        var moving = MovingCentres(self, points)
        for _ in 0..<rounds {
            try Task.checkCancellation()
            guard moving.pass() else { break }
        }
        guard let found = try Self.lloyd(points, from: Points(rows: moving.centres), rounds),
            found.inertia < inertia
        else { return self }
        return found
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

/// Clusters whose centres move with each point that changes its cluster.
private struct MovingCentres {
    private let points: Points
    private var labels: [Int]
    private var sizes: [Int]
    private(set) var centres: [[Double]]

    init(_ clusters: KMeans, _ points: Points) {
        self.points = points
        (labels, sizes, centres) = (clusters.labels, clusters.sizes, clusters.centres)
    }

    /// Moves each point for which that reduces the sum of squared distances, in the order of the points.
    ///
    /// - Returns: whether a point was moved.
    mutating func pass() -> Bool {
        var hasMoved = false
        for (point, own) in labels.enumerated() where sizes[own] > 1 {
            let size = Double(sizes[own])
            // What the sum loses without the point; the margin keeps rounding from moving it forever.
            let loss = size / (size - 1) * squaredDistance(point, own)
            var (best, least) = (own, loss * (1 - 1e-12))
            for other in centres.indices where other != own {
                let size = Double(sizes[other])
                let gain = size / (size + 1) * squaredDistance(point, other)
                if gain < least { (best, least) = (other, gain) }
            }
            guard best != own else { continue }
            move(point, from: own, to: best)
            hasMoved = true
        }
        return hasMoved
    }

    private mutating func move(_ point: Int, from own: Int, to other: Int) {
        for (axis, coordinate) in points[point].enumerated() {
            centres[own][axis] -= (coordinate - centres[own][axis]) / Double(sizes[own] - 1)
            centres[other][axis] += (coordinate - centres[other][axis]) / Double(sizes[other] + 1)
        }
        sizes[own] -= 1
        sizes[other] += 1
        labels[point] = other
    }

    private func squaredDistance(_ point: Int, _ cluster: Int) -> Double {
        let start = point * points.dimensions
        var sum = 0.0
        for axis in 0..<points.dimensions {
            let distance = points.coordinates[start + axis] - centres[cluster][axis]
            sum += distance * distance
        }
        return sum
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
