import Foundation
import Samples
import TestSupport
import Testing

@testable import Statistics

struct ClusterTests {
    @Test func `k-means from the same centres equals scikit-learn`() throws {
        for fixture in try AnalysisFixtures.load().clusters {
            let found = try #require(
                try KMeans.lloyd(
                    Points(rows: fixture.points), from: Points(rows: fixture.start), 300))
            #expect(found.labels == fixture.labels, "\(fixture.name)")
            #expect(areClose(found.inertia, fixture.inertia, 1e-9), "\(fixture.name)")
            for (centre, wanted) in zip(found.centres, fixture.centres) {
                #expect(areClose(centre, wanted, 1e-9), "\(fixture.name)")
            }
            #expect(found.sizes.reduce(0, +) == fixture.points.count)
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func
        `k-means++ is never better than the best known inertia, reaches it on separate blobs, and is repeatable`(
            seed: UInt64
        ) throws
    {
        for fixture in try AnalysisFixtures.load().clusters {
            let points = Points(rows: fixture.points)
            let found = try #require(try KMeans.fit(points, k: 3, seed: seed))
            #expect(found.inertia >= fixture.bestInertia * (1 - 1e-9), "\(fixture.name)")
            if fixture.name == "blobs" {
                #expect(areClose(found.inertia, fixture.bestInertia, 1e-9))
            }
            #expect(try KMeans.fit(points, k: 3, seed: seed) == found)
        }
    }

    /// The best known inertia of Fisher's irises for k = 3, computed by scikit-learn with 50 starts.
    ///
    /// From one start, nearly every fifth seed ends at 191 or 197 for standardised coordinates, and most of
    /// the others between 139.8 and 141.
    @Test(arguments: 0..<10 as Range<UInt64>)
    func `the irises have the best known clusters from any seed`(seed: UInt64) throws {
        let irises = Points(rows: try Irises.load())
        #expect(irises.count == 150 && irises.dimensions == 4)
        let plain = try #require(try KMeans.fit(irises, k: 3, seed: seed))
        #expect(abs(plain.inertia - 78.851441426146) < 1e-9)
        let scaled = try #require(
            try KMeans.fit(irises.standardized().points, k: 3, seed: seed))
        #expect(abs(scaled.inertia - 139.82049635974982) < 1e-9)
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func `the clusters are never worse than those of the first start`(seed: UInt64) throws {
        for fixture in try AnalysisFixtures.load().clusters {
            let points = Points(rows: fixture.points)
            let all = try #require(try KMeans.fit(points, k: 5, seed: seed))
            var random = SeededGenerator(seed: seed)
            let centres = try #require(try KMeans.seeds(points, 5, &random))
            let first = try #require(try KMeans.lloyd(points, from: centres, 100))
            #expect(all.inertia <= first.inertia, "\(fixture.name)")
        }
    }

    @Test(arguments: [
        (1, 1, 10), (600, 3, 10), (250_000, 2, 10), (250_001, 2, 9), (1_000_000, 3, 1),
        (1_000_000, 50, 1), (8, .max, 1),
    ])
    func `large inputs have fewer starts`(coordinates: Int, k: Int, starts: Int) {
        #expect(KMeans.starts(coordinates: coordinates, k: k) == starts)
    }

    @Test func `the same seed gives the same clusters on every machine`() throws {
        // Recorded once; computed from sums, products and comparisons only, so it is the same
        // everywhere.
        let x = (0..<40).map { Double($0 * $0 % 17) }
        let y = (0..<40).map { Double($0 * 7 % 13) }
        let points = Points(columns: [x, y])
        let found = try #require(try KMeans.fit(points, k: 4, seed: 2026))
        #expect(found.sizes == Self.writtenSizes)
        #expect(areClose(found.inertia, Self.writtenInertia, 1e-14))
        var generator = SeededGenerator(seed: 1_234_567)
        #expect(generator.next() == 6_457_827_717_110_365_317)
        #expect(generator.next() == 3_203_168_211_198_807_973)
    }

    private static let writtenSizes = [6, 12, 10, 12]
    private static let writtenInertia = 306.8833333333333

    @Test func `centres are means of their points, and each point is nearest to its own centre`()
        throws
    {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<60 {
            let rows = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                (0..<2).map { _ in Double(Int.random(in: -5...5, using: &random)) }
            }
            let k = Int.random(in: 1...6, using: &random)
            let found = try #require(try KMeans.fit(Points(rows: rows), k: k, seed: seed))
            #expect(found.centres.count == min(k, Set(rows).count), "seed \(seed)")
            for (cluster, centre) in found.centres.enumerated() {
                let own = rows.indices.filter { found.labels[$0] == cluster }.map { rows[$0] }
                #expect(own.count == found.sizes[cluster], "seed \(seed)")
                for axis in 0..<2 {
                    let mean = own.map { $0[axis] }.reduce(0, +) / Double(own.count)
                    #expect(abs(mean - centre[axis]) < 1e-12, "seed \(seed)")
                }
            }
        }
    }

    @Test func `degenerate input gives fewer clusters or none`() throws {
        #expect(try KMeans.fit(Points(rows: []), k: 3, seed: 0) == nil)
        #expect(try KMeans.fit(Points(rows: [[1]]), k: 0, seed: 0) == nil)
        #expect(try KMeans.fit(Points(rows: [[1e300], [-1e300]]), k: 2, seed: 0) == nil)
        #expect(try KMeans.fit(Points(rows: [[1], [1], [1]]), k: 2, seed: 9)?.sizes == [3])
        #expect(try KMeans.fit(Points(rows: [[4]]), k: 9, seed: 1)?.centres == [[4]])
        let empty = try KMeans.lloyd(
            Points(rows: [[0], [10]]), from: Points(rows: [[0], [99]]), 9)
        #expect(empty?.sizes == [1, 1])
    }

    @Test func `DBSCAN equals scikit-learn`() throws {
        for fixture in try AnalysisFixtures.load().clusters {
            let found = try #require(
                try DensityClusters(
                    Points(rows: fixture.points), epsilon: fixture.epsilon,
                    minimum: fixture.minimum))
            #expect(found.labels == fixture.density, "\(fixture.name)")
            #expect(found.count == (fixture.density.compactMap(\.self).max() ?? -1) + 1)
        }
    }

    @Test(arguments: 1...3)
    func `DBSCAN equals its definition computed point by point`(dimensions: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<60 {
            let width = [2, 5, 20].randomElement(using: &random) ?? 2
            let rows = (0..<Int.random(in: 0...70, using: &random)).map { _ in
                (0..<dimensions).map { _ in
                    Double(Int.random(in: 0...(4 * width), using: &random)) / 4
                }
            }
            let epsilon: Double = [0.3, 1, 1.5, 4].randomElement(using: &random) ?? 1
            let minimum = Int.random(in: 1...6, using: &random)
            let found = try #require(
                try DensityClusters(Points(rows: rows), epsilon: epsilon, minimum: minimum))
            let wanted = Self.naive(rows, epsilon, minimum)
            #expect(found.labels == wanted, "seed \(seed), \(epsilon), \(minimum)")
        }
    }

    @Test func `dense regions do not take quadratic time`() throws {
        let count = 20_000
        var random = SplitMix(state: 7)
        let wide = (0..<count).map { _ in [Double.random(in: 0...1, using: &random)] }
        let same = Array(repeating: [1.0], count: count)
        let cases: [([[Double]], Double)] = [(same, 1), (wide, 2), (wide, 0.01)]
        for (rows, epsilon) in cases {
            let found = try #require(
                try DensityClusters(Points(rows: rows), epsilon: epsilon, minimum: 5))
            #expect(found.labels.allSatisfy { $0 == 0 })
        }
    }

    @Test func `invalid parameters give no result`() throws {
        let points = Points(rows: [[1], [2]])
        for epsilon in [0, -1, .nan, .infinity, 1e200, 1e-200] {
            #expect(try DensityClusters(points, epsilon: epsilon, minimum: 1) == nil)
        }
        #expect(try DensityClusters(points, epsilon: 1, minimum: 0) == nil)
        #expect(try DensityClusters(Points(rows: [[.nan]]), epsilon: 1, minimum: 1) == nil)
        #expect(try DensityClusters(Points(rows: []), epsilon: 1, minimum: 1)?.labels == [])
        #expect(try DensityClusters(points, epsilon: 1, minimum: .max)?.labels == [nil, nil])
        let far = Points(rows: [[1e300], [-1e300], [1e300]])
        #expect(try DensityClusters(far, epsilon: 1, minimum: 2)?.labels == [0, nil, 0])
    }

    /// Computes the definition of DBSCAN point by point.
    private static func naive(_ rows: [[Double]], _ epsilon: Double, _ minimum: Int) -> [Int?] {
        let points = Points(rows: rows)
        func near(_ point: Int) -> [Int] {
            rows.indices.filter {
                points.squaredDistance(point, to: points, $0) <= epsilon * epsilon
            }
        }
        let isCore = rows.indices.map { near($0).count >= minimum }
        var labels = [Int?](repeating: nil, count: rows.count)
        var count = 0
        for start in rows.indices where isCore[start] && labels[start] == nil {
            var waiting = [start]
            while let point = waiting.popLast() {
                guard labels[point] == nil else { continue }
                labels[point] = count
                if isCore[point] { waiting += near(point) }
            }
            count += 1
        }
        return labels
    }
}
