import TestSupport
import Testing

@testable import Tracks

struct GeodesyTests {
    @Test func `distances equal GeographicLib to a millimetre`() throws {
        let pairs = try GeodesicFixtures.load().pairs
        #expect(pairs.count > 250)
        for pair in pairs {
            let (start, end) = (
                try place(pair.from[0], pair.from[1]), try place(pair.to[0], pair.to[1])
            )
            let metres = start.distance(to: end)
            #expect(abs(metres - pair.metres) < 1e-3, "\(pair.name): \(metres) for \(pair.metres)")
            #expect(abs(metres - pair.metres) <= pair.metres * 1e-6 + 1e-6, "\(pair.name)")
            #expect(end.distance(to: start) == metres, "\(pair.name), backwards")
        }
    }

    @Test
    func `lengths of tracks equal GeographicLib, also across the antimeridian and a pole`()
        throws
    {
        for track in try GeodesicFixtures.load().tracks {
            let places = try track.places.map { try place($0[0], $0[1]) }
            let metres = Geodesy.length(places)
            #expect(abs(metres - track.metres) <= track.metres * 1e-8, "\(track.name): \(metres)")
        }
    }

    @Test func `bisection equals GeographicLib, also for positions that are not nearly antipodal`()
        throws
    {
        // `NearAntipodes` is valid for all pairs except those on the equator that are not nearly
        // antipodal.
        for pair in try GeodesicFixtures.load().pairs where pair.metres > 1000 {
            guard pair.from[0] != 0 || pair.to[0] != 0 || pair.metres > 19_975_000 else { continue }
            let reduced = ReducedPair(
                try place(pair.from[0], pair.from[1]), try place(pair.to[0], pair.to[1]))
            let metres = NearAntipodes(reduced).distance
            #expect(abs(metres - pair.metres) < 1e-3, "\(pair.name): \(metres) for \(pair.metres)")
        }
    }

    @Test func `a distance is finite, not negative and at most half the circumference`()
        throws
    {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<5000 {
            let start = try place(
                .random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
            let end = try place(
                .random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
            let metres = start.distance(to: end)
            #expect((0...20_003_932).contains(metres), "seed \(seed): \(start) to \(end)")
        }
    }

    @Test(
        arguments: [
            (90.0, 180.0, true), (-90, -180, true), (90.000_001, 0, false), (0, 180.1, false),
            (.nan, 0, false), (0, .nan, false), (.infinity, 0, false),
        ])
    func `a position must have valid coordinates`(
        latitude: Double, longitude: Double, isPlace: Bool
    ) {
        #expect((Position(latitude: latitude, longitude: longitude) != nil) == isPlace)
    }

    @Test(arguments: [0.5, 9.9, 10.0, 10.1, 199, 200, 201])
    func `metres along the equator are measured exactly`(metres: Double) throws {
        #expect(try equator(0).distance(to: equator(metres)) == metres)
    }
}
