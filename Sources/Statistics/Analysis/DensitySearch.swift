/// Cores and what joins them, found in the boxes of a tree.
public struct DensitySearch {
    private let tree: KDTree
    /// The square of epsilon.
    private let reach: Double
    /// The largest boxes whose points are all within epsilon of each other, by node; none overlap.
    private var crowds: [Int] = []
    /// The crowd at each node that is one.
    private var crowdAt: [Int: Int] = [:]
    /// The crowd of each point.
    public private(set) var crowd: [Int]
    public private(set) var isCore: [Bool]
    /// The cores of each crowd.
    private var cores: [[Int]] = []
    /// A forest of joined crowds.
    private var parents: [Int] = []

    public init(_ points: Points, _ reach: Double) {
        tree = KDTree(points)
        self.reach = reach
        crowd = Array(repeating: 0, count: points.count)
        isCore = Array(repeating: false, count: points.count)
        var waiting = tree.nodes.isEmpty ? [] : [0]
        while let node = waiting.popLast() {
            guard tree.nodes[node].isLeaf || tree.squaredDiagonal(of: node) <= reach else {
                let (left, right) = tree.nodes[node].children
                waiting += [left, right]
                continue
            }
            for place in tree.nodes[node].points { crowd[tree.order[place]] = crowds.count }
            crowdAt[node] = crowds.count
            crowds.append(node)
        }
        parents = Array(crowds.indices)
    }

    /// Marks the points that have enough within epsilon.
    public mutating func findCores(_ minimum: Int) throws {
        for (number, node) in crowds.enumerated() {
            if number % 1024 == 0 { try Task.checkCancellation() }
            let range = tree.nodes[node].points
            let members = range.map { tree.order[$0] }
            let isCrowded = range.count >= minimum
            let found = members.filter { isCrowded || has(minimum, around: $0) }
            for point in found { isCore[point] = true }
            cores.append(found)
        }
    }

    /// Joins the crowds that have cores within epsilon of each other.
    public mutating func joinCrowds() throws {
        var waiting: [Int] = []
        for (number, node) in crowds.enumerated() where !cores[number].isEmpty {
            if number % 1024 == 0 { try Task.checkCancellation() }
            waiting.append(0)
            while let other = waiting.popLast() {
                guard tree.squaredDistance(ofBox: node, toBox: other) <= reach else { continue }
                guard let neighbour = crowdAt[other] else {
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

    /// The crowd that stands for all that are joined with this one.
    public mutating func root(of crowd: Int) -> Int {
        var crowd = crowd
        while parents[crowd] != crowd {
            parents[crowd] = parents[parents[crowd]]
            crowd = parents[crowd]
        }
        return crowd
    }

    /// The first cluster that has a core within epsilon of a point.
    public func firstCluster(near point: Int, _ labels: [Int?]) -> Int? {
        var first: Int?
        visit(around: point) { node in
            guard let number = crowdAt[node] else { return .deeper }
            guard let some = cores[number].first, let label = labels[some], label < first ?? .max
            else { return .past }
            if cores[number].contains(where: { isNear($0, point) }) { first = label }
            return .past
        }
        return first
    }

    // MARK: - Private

    private enum Step {
        case deeper, past, end
    }

    /// Goes through the boxes that reach within epsilon of a point.
    private func visit(around point: Int, _ body: (Int) -> Step) {
        var waiting = tree.nodes.isEmpty ? [] : [0]
        while let node = waiting.popLast() {
            guard tree.squaredDistance(point, toBox: node) <= reach else { continue }
            switch body(node) {
            case .end: return
            case .past: continue
            case .deeper:
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
            // A leaf's points are equal, so one near means all.
            guard tree.nodes[node].isLeaf || tree.squaredReach(point, ofBox: node) <= reach else {
                return .deeper
            }
            count += range.count
            return count >= minimum ? .end : .past
        }
        return count >= minimum
    }

    private func touch(_ left: Int, _ right: Int) -> Bool {
        let isLess = cores[left].count <= cores[right].count
        let (few, many) = isLess ? (left, right) : (right, left)
        return cores[few].contains { point in
            tree.squaredDistance(point, toBox: crowds[many]) <= reach
                && hasCore(within: crowds[many], near: point)
        }
    }

    private func hasCore(within box: Int, near point: Int) -> Bool {
        var waiting = [box]
        while let node = waiting.popLast() {
            guard tree.squaredDistance(point, toBox: node) <= reach else { continue }
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
        tree.points.squaredDistance(left, to: tree.points, right) <= reach
    }
}
