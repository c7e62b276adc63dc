import Foundation
import FoundationXML
import Samples
import Sessions
import Testing
import Tracks

#if canImport(FoundationXML)
#endif

struct SVGTests {
    private func track(_ segments: [[(Double, Double)]], name: String? = "A walk") throws -> Track {
        Track(
            name: name,
            segments: try segments.map { segment in
                try segment.enumerated().map { second, position in
                    RoutePoint(
                        Fix(
                            time: Timestamp(microseconds: Int64(second) * 1_000_000),
                            position: try #require(
                                Position(latitude: position.0, longitude: position.1))))
                }
            })
    }

    /// The points of the red lines.
    private func lines(_ text: String) throws -> [[SIMD2<Double>]] {
        text.matches(of: /<polyline class="route" points="([^"]*)"/).map { match in
            match.1.split(separator: " ").map { pair in
                let numbers = pair.split(separator: ",").compactMap { Double($0) }
                return SIMD2(numbers[0], numbers[1])
            }
        }
    }

    private func pin(_ name: String, _ text: String) throws -> SIMD2<Double> {
        let pattern = try Regex(
            "<g id=\"\(name)\" transform=\"translate\\(([-0-9.]+) ([-0-9.]+)\\)\"",
            as: (Substring, Substring, Substring).self)
        let match = try #require(text.firstMatch(of: pattern))
        return SIMD2(try #require(Double(match.output.1)), try #require(Double(match.output.2)))
    }

    @Test func `the route is a red line of three pixels, with a pin at each end`() throws {
        let text = SVGWriter.text(
            try track([[(47.37, 8.54), (47.371, 8.541)], [(47.372, 8.543), (47.37, 8.545)]]))
        let lines = try lines(text)
        #expect(lines.map(\.count) == [2, 2])
        #expect(text.contains(##"stroke="#e00000" stroke-width="3""##))
        #expect(try pin("start", text) == lines[0][0])
        #expect(try pin("finish", text) == lines[1][1])
        // East is right, north is up.
        #expect(lines[0][1].x > lines[0][0].x)
        #expect(lines[0][1].y < lines[0][0].y)
        for word in ["href", "url(", "<script", "<image"] { #expect(!text.contains(word)) }
    }

    @Test(arguments: [0.0001, 0.01, 1, 40])
    func `the map is scaled to the route`(degrees: Double) throws {
        let points = try lines(
            SVGWriter.text(
                try track([[(10, 20), (10 + degrees / 2, 20 + degrees), (10, 20 + degrees)]])))[0]
        let (low, high) = (points.map(\.x).min() ?? 0, points.map(\.x).max() ?? 0)
        let heights = points.map(\.y)
        #expect(low >= 59.9 && high <= 740.1)
        #expect((heights.min() ?? 0) >= 59.9 && (heights.max() ?? 0) <= 540.1)
        // The route fills the width or the height, unless it is shorter than the smallest extent.
        let fills = high - low > 679 || (heights.max() ?? 0) - (heights.min() ?? 0) > 479
        #expect(fills == (degrees > 0.001))
    }

    @Test func `a route across the antimeridian is drawn without a break`() throws {
        let points = try lines(
            SVGWriter.text(try track([[(0, 179.99), (0.005, -179.99), (0, -179.97)]])))[0]
        #expect(points.map(\.x) == points.map(\.x).sorted())
        let there = try lines(
            SVGWriter.text(try track([[(0, 19.99), (0.005, 20.01), (0, 20.03)]])))[0]
        for (one, other) in zip(points, there) {
            #expect(abs(one.x - other.x) < 0.02 && abs(one.y - other.y) < 0.02)
        }
    }

    @Test func `a route without points is an empty map`() throws {
        for segments in [[], [[]]] as [[[(Double, Double)]]] {
            let text = SVGWriter.text(try track(segments))
            #expect(try lines(text).isEmpty)
            #expect(!text.contains("id=\"start\""))
            #expect(text.contains("No route"))
            _ = try XMLDocument(xmlString: text)
        }
    }

    @Test(arguments: [
        [[(90.0, 0.0), (-90, 180)]], [[(0, 0), (0, 0)]], [[(0, 0)], [(0, 0)]],
        [[(0, 180), (0, -180)]], [[(0, 0), (0, 179), (0, -2), (0, 178), (0, 2)]],
    ])
    func `every route gives valid SVG`(segments: [[(Double, Double)]]) throws {
        var track = try track(segments, name: "<b>&\"\u{0}]]>\u{FFFE}")
        track.description = "a\r\n--> 🏃"
        let text = SVGWriter.text(track)
        _ = try XMLDocument(xmlString: text)
        #expect(!text.contains("nan") && !text.contains("inf"))
    }
}
