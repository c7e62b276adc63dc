/// Density-based clusters of any shape, and noise (DBSCAN).
///
/// M. Ester, H.-P. Kriegel, J. Sander and X. Xu, "A Density-Based Algorithm for Discovering
/// Clusters in Large Spatial Databases with Noise", KDD 1996. A point with at least `minimum`
/// points within epsilon, itself included, is a core point. Core points within epsilon of each
/// other are in one cluster. Other points within epsilon of a core point are border points of the
/// first such cluster.
///
/// Points in a box with a diagonal of at most epsilon are not compared (J. Gan and Y. Tao, "DBSCAN
/// Revisited", SIGMOD 2015), so dense regions do not take quadratic time.
///
/// ```swift
/// let points = Points(columns: [[0, 0.1, 9], [0, 0.1, 9]])
/// try DensityClusters(points, epsilon: 0.5, minimum: 2)?.labels  // [0, 0, nil]
/// ```
public struct DensityClusters: Hashable, Sendable {
    /// The cluster of each point, numbered in the order of their first core points; `nil` for
    /// noise.
    public let labels: [Int?]
    /// The number of clusters.
    public let count: Int

    /// Finds the clusters.
    ///
    /// - Parameters:
    ///   - epsilon: the radius of a neighbourhood, above 0, in the unit of the coordinates.
    ///   - minimum: the number of points that make a point a core point, at least 1.
    /// - Returns: `nil` for invalid parameters, and for coordinates that are not finite.
    /// - Throws: `CancellationError` when the task is cancelled.
    public init?(_ points: Points, epsilon: Double, minimum: Int) throws {
        let squaredEpsilon = epsilon * epsilon
        guard epsilon > 0, squaredEpsilon > 0, squaredEpsilon.isFinite, minimum >= 1,
            points.coordinates.allSatisfy(\.isFinite)
        else { return nil }
        var search = DensitySearch(points, squaredEpsilon)
        try search.findCores(minimum)
        try search.joinDenseBoxes()
        var numbers: [Int: Int] = [:]
        var labels = [Int?](repeating: nil, count: points.count)
        for point in 0..<points.count where search.isCore[point] {
            let root = search.root(of: search.denseBox[point])
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

/// Core points and the clusters that they form, found in the boxes of a k-d tree.
private struct DensitySearch {
    private let tree: KDTree
    /// The square of epsilon.
    private let squaredEpsilon: Double
    /// The tree nodes of the largest boxes whose points are all within epsilon of each other.
    private var denseBoxes: [Int] = []
    /// The index in `denseBoxes` of each such node.
    private var denseBoxAt: [Int: Int] = [:]
    /// The box of each point.
    private(set) var denseBox: [Int]
    private(set) var isCore: [Bool]
    /// The core points of each box.
    private var cores: [[Int]] = []
    /// A union-find forest of boxes.
    private var parents: [Int] = []

    init(_ points: Points, _ squaredEpsilon: Double) {
        tree = KDTree(points)
        self.squaredEpsilon = squaredEpsilon
        denseBox = Array(repeating: 0, count: points.count)
        isCore = Array(repeating: false, count: points.count)
        var waiting = tree.nodes.isEmpty ? [] : [0]
        while let node = waiting.popLast() {
            guard tree.nodes[node].isLeaf || tree.squaredDiagonal(of: node) <= squaredEpsilon else {
                let (left, right) = tree.nodes[node].children
                waiting += [left, right]
                continue
            }
            for index in tree.nodes[node].points { denseBox[tree.order[index]] = denseBoxes.count }
            denseBoxAt[node] = denseBoxes.count
            denseBoxes.append(node)
        }
        parents = Array(denseBoxes.indices)
    }

    /// Marks the core points.
    mutating func findCores(_ minimum: Int) throws {
        for (number, node) in denseBoxes.enumerated() {
            if number % 1024 == 0 { try Task.checkCancellation() }
            let range = tree.nodes[node].points
            let members = range.map { tree.order[$0] }
            let allAreNear = range.count >= minimum
            let found = members.filter { allAreNear || has(minimum, around: $0) }
            for point in found { isCore[point] = true }
            cores.append(found)
        }
    }

    /// Joins the boxes that have core points within epsilon of each other.
    mutating func joinDenseBoxes() throws {
        var waiting: [Int] = []
        for (number, node) in denseBoxes.enumerated() where !cores[number].isEmpty {
            if number % 1024 == 0 { try Task.checkCancellation() }
            waiting.append(0)
            while let other = waiting.popLast() {
                guard tree.squaredDistance(ofBox: node, toBox: other) <= squaredEpsilon else {
                    continue
                }
                guard let neighbour = denseBoxAt[other] else {
                    let (left, right) = tree.nodes[other].children
                    waiting += [left, right]
                    continue
                }
                guard neighbour > number, !cores[neighbour].isEmpty,
                    root(of: number) != root(of: neighbour), touch(number, neighbour)
                else { continue }
                parents[root(of: neighbour)] = root(of: number)
            }
        }
    }

    /// The representative of the set that a box belongs to (find with path halving).
    mutating func root(of denseBox: Int) -> Int {
        var denseBox = denseBox
        while parents[denseBox] != denseBox {
            parents[denseBox] = parents[parents[denseBox]]
            denseBox = parents[denseBox]
        }
        return denseBox
    }

    /// The first cluster that has a core point within epsilon of a point.
    func firstCluster(near point: Int, _ labels: [Int?]) -> Int? {
        var first: Int?
        visit(around: point) { node in
            guard let number = denseBoxAt[node] else { return .descend }
            guard let some = cores[number].first, let label = labels[some], label < first ?? .max
            else { return .skip }
            if cores[number].contains(where: { isNear($0, point) }) { first = label }
            return .skip
        }
        return first
    }

    // MARK: - Private

    private enum Step {
        case descend, skip, stop
    }

    /// Visits the boxes that intersect the neighbourhood of a point.
    private func visit(around point: Int, _ body: (Int) -> Step) {
        var waiting = tree.nodes.isEmpty ? [] : [0]
        while let node = waiting.popLast() {
            guard tree.squaredDistance(point, toBox: node) <= squaredEpsilon else { continue }
            switch body(node) {
            case .stop: return
            case .skip: continue
            case .descend:
                let (left, right) = tree.nodes[node].children
                waiting.append(left)
                waiting.append(right)
            }
        }
    }

    private func has(_ minimum: Int, around point: Int) -> Bool {
        var count = 0
        visit(around: point) { node in
            let range = tree.nodes[node].points
            // The points of a leaf are equal, so either all or none are within epsilon.
            guard tree.nodes[node].isLeaf || tree.squaredReach(point, ofBox: node) <= squaredEpsilon
            else {
                return .descend
            }
            count += range.count
            return count >= minimum ? .stop : .skip
        }
        return count >= minimum
    }

    private func touch(_ left: Int, _ right: Int) -> Bool {
        let isLess = cores[left].count <= cores[right].count
        let (few, many) = isLess ? (left, right) : (right, left)
        return cores[few].contains { point in
            tree.squaredDistance(point, toBox: denseBoxes[many]) <= squaredEpsilon
                && hasCore(within: denseBoxes[many], near: point)
        }
    }

    private func hasCore(within box: Int, near point: Int) -> Bool {
        var waiting = [box]
        while let node = waiting.popLast() {
            guard tree.squaredDistance(point, toBox: node) <= squaredEpsilon else { continue }
            guard tree.nodes[node].isLeaf else {
                let (left, right) = tree.nodes[node].children
                waiting += [left, right]
                continue
            }
            let range = tree.nodes[node].points
            if range.contains(where: { isCore[tree.order[$0]] }) { return true }
        }
        return false
    }

    private func isNear(_ left: Int, _ right: Int) -> Bool {
        tree.points.squaredDistance(left, to: tree.points, right) <= squaredEpsilon
    }
}
