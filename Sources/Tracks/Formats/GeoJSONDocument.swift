/// The parts of GeoJSON that a track uses; RFC 7946.
struct GeoJSONDocument: Codable {
    struct Feature: Codable {
        var type = "Feature"
        var geometry: Geometry?
        var properties: Properties?
    }

    /// A line or several; other geometries are read as none.
    struct Geometry: Codable {
        var type: String
        var lines: [[[Double]]]

        private enum CodingKeys: String, CodingKey { case type, coordinates }

        init(_ lines: [[[Double]]]) {
            self.lines = lines
            type = lines.count == 1 ? "LineString" : "MultiLineString"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            type = try container.decode(String.self, forKey: .type)
            switch type {
            case "LineString":
                lines = [try container.decode([[Double]].self, forKey: .coordinates)]
            case "MultiLineString":
                lines = try container.decode([[[Double]]].self, forKey: .coordinates)
            default: lines = []
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(type, forKey: .type)
            if type == "LineString", let line = lines.first {
                try container.encode(line, forKey: .coordinates)
            } else {
                try container.encode(lines, forKey: .coordinates)
            }
        }
    }

    /// For each line a list, and in it one for each position.
    struct Properties: Codable {
        var name: String?
        var description: String?
        /// RFC 3339.
        var times: [[String]]?
        /// Metres; `null` where it is not known.
        var accuracies: [[Double?]]?
        /// The places of the positions at which the route was paused.
        var via: [[Int]]?
    }

    var type = "FeatureCollection"
    var features: [Feature]
}
