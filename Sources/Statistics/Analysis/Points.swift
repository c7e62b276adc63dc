import Samples

/// Points of equal dimension, in row-major order.
///
/// ```swift
/// let points = Points(columns: [[1, 2, 3], [10, 20, 30]])
/// points.count     // 3
/// Array(points[1]) // [2.0, 20.0]
/// ```
public struct Points: Hashable, Sendable {
    /// The number of coordinates of a point.
    public let dimensions: Int
    /// count × dimensions coordinates, point after point.
    public private(set) var coordinates: [Double]

    /// - Parameter columns: the coordinates of each dimension, truncated to the shortest array.
    public init(columns: [[Double]]) {
        dimensions = columns.count
        let count = columns.map(\.count).min() ?? 0
        coordinates = []
        coordinates.reserveCapacity(count * columns.count)
        for row in 0..<count {
            for column in columns { coordinates.append(column[row]) }
        }
    }

    /// - Parameter rows: one array for each point; truncated or padded with 0 to the length of the
    ///   first.
    public init(rows: [[Double]]) {
        let dimensions = rows.first?.count ?? 0
        self.dimensions = dimensions
        coordinates = rows.flatMap { row in
            row.prefix(dimensions) + [Double](repeating: 0, count: max(0, dimensions - row.count))
        }
    }

    /// The number of points.
    public var count: Int { dimensions == 0 ? 0 : coordinates.count / dimensions }

    /// The coordinates of a point.
    public subscript(_ index: Int) -> ArraySlice<Double> {
        coordinates[(index * dimensions)..<((index + 1) * dimensions)]
    }

    /// The squared Euclidean distance of a point to a point of another collection.
    func squaredDistance(_ index: Int, to other: Points, _ otherIndex: Int) -> Double {
        let (start, otherStart) = (index * dimensions, otherIndex * dimensions)
        var sum = 0.0
        for axis in 0..<dimensions {
            let distance = coordinates[start + axis] - other.coordinates[otherStart + axis]
            sum += distance * distance
        }
        return sum
    }

    /// The points with each dimension standardised to mean 0 and standard deviation 1 (divisor n),
    /// so that dimensions of different units have equal weight; a constant dimension is only
    /// shifted.
    ///
    /// - Returns: the points, and for each dimension its mean and the divisor, in its unit.
    public func standardized() -> (points: Points, scales: [(mean: Double, deviation: Double)]) {
        let scales = (0..<dimensions).map { axis in
            let moments = Moments((0..<count).lazy.map { coordinates[$0 * dimensions + axis] })
            let deviation = moments.populationVariance?.squareRoot() ?? 0
            return (mean: moments.mean ?? 0, deviation: deviation > 0 ? deviation : 1)
        }
        var moved = self
        for index in moved.coordinates.indices {
            let scale = scales[index % dimensions]
            moved.coordinates[index] = (coordinates[index] - scale.mean) / scale.deviation
        }
        return (moved, scales)
    }
}

/// A k-d tree: nested boxes, each split at the median of its widest side.
///
/// J. L. Bentley, "Multidimensional Binary Search Trees Used for Associative Searching",
/// Communications of the ACM 18 (1975). A leaf contains one point or equal points.
struct KDTree: Sendable {
    struct Node: Sendable {
        /// The range in `order` of the points in the box.
        let points: Range<Int>
        /// Indices of the child nodes; 0 for a leaf, since the root is never a child.
        var children: (Int, Int) = (0, 0)

        var isLeaf: Bool { children.0 == 0 }
    }

    let points: Points
    /// The indices of the points; the indices of the points in a box are contiguous.
    private(set) var order: [Int]
    /// The nodes, the root first; empty without points.
    private(set) var nodes: [Node] = []
    private var lower: [Double] = []
    private var upper: [Double] = []

    init(_ points: Points) {
        self.points = points
        order = Array(0..<points.count)
        guard points.count > 0 else { return }
        add(0..<points.count)
        var next = 0
        while next < nodes.count {
            split(next)
            next += 1
        }
    }

    /// The squared diagonal of a box: the maximum squared distance of two points inside.
    func squaredDiagonal(of node: Int) -> Double {
        squares { upper[node * points.dimensions + $0] - lower[node * points.dimensions + $0] }
    }

    /// The squared minimum distance of a point to a box.
    func squaredDistance(_ point: Int, toBox node: Int) -> Double {
        let start = point * points.dimensions
        return squares { axis in
            let coordinate = points.coordinates[start + axis]
            let index = node * points.dimensions + axis
            return max(lower[index] - coordinate, coordinate - upper[index], 0)
        }
    }

    /// The squared maximum distance of a point to a box.
    func squaredReach(_ point: Int, ofBox node: Int) -> Double {
        let start = point * points.dimensions
        return squares { axis in
            let coordinate = points.coordinates[start + axis]
            let index = node * points.dimensions + axis
            return max(coordinate - lower[index], upper[index] - coordinate)
        }
    }

    /// The squared minimum distance of two boxes.
    func squaredDistance(ofBox left: Int, toBox right: Int) -> Double {
        squares { axis in
            let (first, second) = (
                left * points.dimensions + axis, right * points.dimensions + axis
            )
            return max(lower[first] - upper[second], lower[second] - upper[first], 0)
        }
    }

    /// Sums in the same order as the distances of points, so that rounding preserves their order.
    private func squares(_ side: (Int) -> Double) -> Double {
        var sum = 0.0
        for axis in 0..<points.dimensions {
            let length = side(axis)
            sum += length * length
        }
        return sum
    }

    private mutating func add(_ range: Range<Int>) {
        nodes.append(Node(points: range))
        let dimensions = points.dimensions
        let start = lower.count
        lower += points[order[range.lowerBound]]
        upper += points[order[range.lowerBound]]
        for index in range {
            for axis in 0..<dimensions {
                let coordinate = points.coordinates[order[index] * dimensions + axis]
                lower[start + axis] = min(lower[start + axis], coordinate)
                upper[start + axis] = max(upper[start + axis], coordinate)
            }
        }
    }

    private mutating func split(_ node: Int) {
        let dimensions = points.dimensions
        let range = nodes[node].points
        var (widest, width) = (0, 0.0)
        for axis in 0..<dimensions {
            let side = upper[node * dimensions + axis] - lower[node * dimensions + axis]
            if side > width { (widest, width) = (axis, side) }
        }
        guard width > 0 else { return }
        let coordinates = points.coordinates
        order[range].sort {
            coordinates[$0 * dimensions + widest] < coordinates[$1 * dimensions + widest]
        }
        let middle = range.lowerBound + range.count / 2
        nodes[node].children = (nodes.count, nodes.count + 1)
        add(range.lowerBound..<middle)
        add(middle..<range.upperBound)
    }
}
