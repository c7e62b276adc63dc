import Samples

/// Points of one number of dimensions, one after the other.
public struct Points: Hashable, Sendable {
    public let dimensions: Int
    public private(set) var coordinates: [Double]

    /// - Parameter columns: the coordinates dimension by dimension; what the shortest lacks is cut
    ///   off.
    public init(columns: [[Double]]) {
        dimensions = columns.count
        let count = columns.map(\.count).min() ?? 0
        coordinates = []
        coordinates.reserveCapacity(count * columns.count)
        for row in 0..<count {
            for column in columns { coordinates.append(column[row]) }
        }
    }

    /// - Parameter rows: points of equal dimensions; what is beyond the first's is cut off.
    public init(rows: [[Double]]) {
        let dimensions = rows.first?.count ?? 0
        self.dimensions = dimensions
        coordinates = rows.flatMap { row in
            row.prefix(dimensions) + [Double](repeating: 0, count: max(0, dimensions - row.count))
        }
    }

    public var count: Int { dimensions == 0 ? 0 : coordinates.count / dimensions }

    public subscript(_ place: Int) -> ArraySlice<Double> {
        coordinates[(place * dimensions)..<((place + 1) * dimensions)]
    }

    /// The square of the Euclidean distance of one of these to one of those.
    public func squaredDistance(_ place: Int, to other: Points, _ otherPlace: Int) -> Double {
        let (start, otherStart) = (place * dimensions, otherPlace * dimensions)
        var sum = 0.0
        for axis in 0..<dimensions {
            let distance = coordinates[start + axis] - other.coordinates[otherStart + axis]
            sum += distance * distance
        }
        return sum
    }

    /// The points with every dimension moved and scaled to mean 0 and standard deviation 1, which
    /// lets dimensions of different units weigh alike; one that does not vary is only moved.
    public func standardized() -> (points: Points, scales: [(mean: Double, deviation: Double)]) {
        let scales = (0..<dimensions).map { axis in
            let moments = Moments((0..<count).lazy.map { coordinates[$0 * dimensions + axis] })
            let deviation = moments.populationVariance?.squareRoot() ?? 0
            return (mean: moments.mean ?? 0, deviation: deviation > 0 ? deviation : 1)
        }
        var moved = self
        for place in moved.coordinates.indices {
            let scale = scales[place % dimensions]
            moved.coordinates[place] = (coordinates[place] - scale.mean) / scale.deviation
        }
        return (moved, scales)
    }
}
