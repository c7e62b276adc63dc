/// Clusters of any shape and number, and points that are in none: DBSCAN.
///
/// M. Ester, H.-P. Kriegel, J. Sander and X. Xu, "A Density-Based Algorithm for Discovering
/// Clusters in Large Spatial Databases with Noise", KDD 1996. A point with enough points within
/// epsilon, itself included, is a core; cores within epsilon of each other are in one cluster; other
/// points within epsilon of a core are at the border of the first cluster that has one.
///
/// Points in a box with a diagonal of at most epsilon need no look at each other (J. Gan and Y. Tao,
/// "DBSCAN Revisited", SIGMOD 2015), so that a crowd does not take the square of its number.
public struct DensityClusters: Hashable, Sendable {
    /// The cluster of each point, by the first core it has; `nil` for noise.
    public let labels: [Int?]
    public let count: Int

    /// - Parameters:
    ///   - epsilon: above zero, in the unit of the coordinates.
    ///   - minimum: points that make a core; at least 1.
    /// - Returns: `nil` for parameters that mean nothing and coordinates that are not finite.
    /// - Throws: `CancellationError`.
    public init?(_ points: Points, epsilon: Double, minimum: Int) throws {
        let reach = epsilon * epsilon
        guard epsilon > 0, reach > 0, reach.isFinite, minimum >= 1,
            points.coordinates.allSatisfy(\.isFinite)
        else { return nil }
        var search = DensitySearch(points, reach)
        try search.findCores(minimum)
        try search.joinCrowds()
        var numbers: [Int: Int] = [:]
        var labels = [Int?](repeating: nil, count: points.count)
        for point in 0..<points.count where search.isCore[point] {
            let root = search.root(of: search.crowd[point])
            labels[point] = numbers[root, default: numbers.count]
            numbers[root] = labels[point]
        }
        let known = labels
        for point in 0..<points.count where !search.isCore[point] {
            if point % 1024 == 0 { try Task.checkCancellation() }
            labels[point] = search.firstCluster(near: point, known)
        }
        self.labels = labels
        count = numbers.count
    }
}
