import API
import HTTPTypes
import Hummingbird
import Tracks

/// The form in which a route is given out.
enum TrackForm: String, CaseIterable {
    case geoJSON = "application/geo+json"
    case gpx = "application/gpx+xml"
    case svg = "image/svg+xml"

    /// What it is called in short.
    var name: String {
        switch self {
        case .geoJSON: "geojson"
        case .gpx: "gpx"
        case .svg: "svg"
        }
    }

    /// What `format` names, or else what the caller accepts best, the first of equals; GeoJSON when it
    /// says nothing.
    ///
    /// - Throws: `Problem` for a format that there is not, and where none of them is acceptable.
    init(_ request: Request) throws {
        if let name = request.parameter("format") {
            guard let form = Self.allCases.first(where: { $0.name == name }) else {
                throw Problem.invalidParameter("format", "geojson, gpx or svg is needed")
            }
            self = form
            return
        }
        guard let accept = request.headers[.accept] else {
            self = .geoJSON
            return
        }
        guard let best = Accepted.best(of: accept, { Self(range: $0) }) else {
            throw Problem(
                .notAcceptable,
                "Routes come as \(Self.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        self = best
    }

    func text(_ track: Track, of record: RouteRecord) -> String {
        switch self {
        case .geoJSON: GeoJSONWriter.text(track, of: record)
        case .gpx: GPXWriter.text(track, of: record)
        case .svg: SVGWriter.text(track, of: record)
        }
    }

    private init?(range: String) {
        switch range {
        case "*/*", "application/*", "application/json": self = .geoJSON
        case "image/*": self = .svg
        default: self.init(rawValue: range)
        }
    }
}
