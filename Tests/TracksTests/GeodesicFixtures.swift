import Foundation
import Testing
import Tracks

/// Reference results of GeographicLib, written by `Fixtures/make_geodesic_fixtures.py`.
struct GeodesicFixtures: Decodable {
    struct Pair: Decodable {
        let name: String
        let from: [Double]
        let to: [Double]
        let metres: Double
    }
    struct Track: Decodable {
        let name: String
        let places: [[Double]]
        let metres: Double
    }

    let pairs: [Pair]
    let tracks: [Track]

    static func load() throws -> GeodesicFixtures {
        let file = try #require(
            Bundle.module.url(
                forResource: "geodesics", withExtension: "json", subdirectory: "Fixtures"))
        return try JSONDecoder().decode(GeodesicFixtures.self, from: Data(contentsOf: file))
    }
}
