/// Points in nested boxes, each halved at the median of its widest side.
///
/// J. L. Bentley, "Multidimensional Binary Search Trees Used for Associative Searching",
/// Communications of the ACM 18 (1975). Every leaf holds one point, or equal points.
public struct KDTree: Sendable {
    public struct Node: Sendable {
        /// The places in `order` of the points inside.
        let points: Range<Int>
        /// 0 for a leaf: the root is nobody's child.
        var children: (Int, Int) = (0, 0)

        var isLeaf: Bool { children.0 == 0 }
    }

    public let points: Points
    /// The points, those of a box beside each other.
    public private(set) var order: [Int]
    /// The root first; none of no points.
    public private(set) var nodes: [Node] = []
    private var lower: [Double] = []
    private var upper: [Double] = []

    public init(_ points: Points) {
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

    /// The square of the diagonal of a box: no two points inside are farther from each other.
    public func squaredDiagonal(of node: Int) -> Double {
        squares { upper[node * points.dimensions + $0] - lower[node * points.dimensions + $0] }
    }

    /// The least distance of a point to a box, squared.
    public func squaredDistance(_ point: Int, toBox node: Int) -> Double {
        let start = point * points.dimensions
        return squares { axis in
            let coordinate = points.coordinates[start + axis]
            let place = node * points.dimensions + axis
            return max(lower[place] - coordinate, coordinate - upper[place], 0)
        }
    }

    /// The greatest distance of a point to any place in a box, squared.
    public func squaredReach(_ point: Int, ofBox node: Int) -> Double {
        let start = point * points.dimensions
        return squares { axis in
            let coordinate = points.coordinates[start + axis]
            let place = node * points.dimensions + axis
            return max(coordinate - lower[place], upper[place] - coordinate)
        }
    }

    /// The least distance of two boxes, squared.
    public func squaredDistance(ofBox left: Int, toBox right: Int) -> Double {
        squares { axis in
            let (first, second) = (
                left * points.dimensions + axis, right * points.dimensions + axis
            )
            return max(lower[first] - upper[second], lower[second] - upper[first], 0)
        }
    }

    /// Summed in the order in which distances of points are, so that rounding keeps their order.
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
        for place in range {
            for axis in 0..<dimensions {
                let coordinate = points.coordinates[order[place] * dimensions + axis]
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
