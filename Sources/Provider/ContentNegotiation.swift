import API
import HTTPTypes
import Hummingbird
import Ingest
import Tracks

/// The choice of a form by the header field `Accept`.
enum ContentNegotiation {
    /// The form with the highest quality, the first of equals; `nil` if none is acceptable.
    ///
    /// - Parameter form: returns the form for a media range, which is in lower case and without
    ///   parameters; `nil` if there is none.
    static func best<Form>(of accept: String, _ form: (String) -> Form?) -> Form? {
        var best: (form: Form, quality: Double)?
        for (range, quality) in ranges(of: accept) {
            guard let form = form(range) else { continue }
            if quality > best?.quality ?? 0 { best = (form, quality) }
        }
        return best?.form
    }

    /// The ranges of a field in lower case and without parameters, each with its quality, which is 1 if none
    /// or an invalid one is given.
    static func ranges(of accept: String) -> [(range: String, quality: Double)] {
        accept.split(separator: ",").compactMap { range in
            let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            guard let name = parts.first else { return nil }
            let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }
            return (name.lowercased(), weight.flatMap { Double($0.dropFirst(2)) } ?? 1)
        }
    }
}

/// A content coding of a response (RFC 9110, section 12.5.3).
enum ContentCoding: String {
    case identity, gzip

    /// The coding that `Accept-Encoding` prefers; gzip of equals, and no coding if it names neither.
    ///
    /// A response without a coding is sent also if the field excludes it, because there is no other.
    init(acceptEncoding field: String?) {
        let ranges = ContentNegotiation.ranges(of: field ?? "")
        func quality(_ names: String...) -> Double? {
            ranges.first { names.contains($0.range) }?.quality
        }
        let gzip = quality("gzip", "x-gzip") ?? quality("*") ?? 0
        self = gzip > 0 && gzip >= quality("identity") ?? 0 ? .gzip : .identity
    }
}

extension SampleFormat {
    /// The acceptable form with the highest quality; JSON without `Accept`.
    init(accept: String?) throws {
        guard let accept else {
            self = .json
            return
        }
        if let best = ContentNegotiation.best(of: accept, { Self(range: $0) }) {
            self = best
            return
        }
        throw Problem(
            .notAcceptable,
            "Samples are available as \(Self.allCases.map(\.rawValue).joined(separator: ", ")).")
    }

    /// The form of a body.
    init(contentType: String?) throws {
        guard let form = SampleFormat(rawValue: contentType ?? SampleFormat.json.rawValue) else {
            throw Problem(
                .unsupportedMediaType,
                "Samples are accepted as \(Self.allCases.map(\.rawValue).joined(separator: ", ")).",
                fix: "Send the header Content-Type: text/csv")
        }
        self = form
    }

    fileprivate init?(range: String) {
        switch range {
        case "*/*", "application/*": self = .json
        case "text/*": self = .csv
        default: self.init(rawValue: range)
        }
    }
}

/// The form of the newest sample in an answer.
enum LatestForm {
    /// One object of JSON.
    case object
    case senml

    /// The acceptable form with the highest quality; JSON if none of them is acceptable.
    init(accept: String?) {
        let best = ContentNegotiation.best(of: accept ?? "") { range -> LatestForm? in
            switch range {
            case SampleFormat.senml.rawValue: .senml
            case "application/json", "application/*", "*/*": .object
            default: nil
            }
        }
        self = best ?? .object
    }
}

/// The form of a route in an answer.
enum TrackForm: String, CaseIterable {
    case geoJSON = "application/geo+json"
    case gpx = "application/gpx+xml"
    case svg = "image/svg+xml"

    /// Its short name.
    var name: String {
        switch self {
        case .geoJSON: "geojson"
        case .gpx: "gpx"
        case .svg: "svg"
        }
    }

    /// The form that `format` names, or else the acceptable form with the highest quality; GeoJSON
    /// if the request has neither `format` nor `Accept`.
    ///
    /// - Throws: `Problem` for an unknown format, and if no form is acceptable.
    init(_ request: Request) throws {
        if let name = request.parameter("format") {
            guard let form = Self.allCases.first(where: { $0.name == name }) else {
                throw Problem.invalidParameter("format", "must be geojson, gpx or svg")
            }
            self = form
            return
        }
        guard let accept = request.headers[.accept] else {
            self = .geoJSON
            return
        }
        guard let best = ContentNegotiation.best(of: accept, { Self(range: $0) }) else {
            throw Problem(
                .notAcceptable,
                "Routes are available as \(Self.allCases.map(\.rawValue).joined(separator: ", ")).")
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

/// The form of the samples of a session in an answer.
enum SessionSampleForm: Equatable {
    case samples(SampleFormat)
    /// A picture of the numbers over time.
    case chart

    private static let names: [(name: String, form: SessionSampleForm)] = [
        ("json", .samples(.json)), ("ndjson", .samples(.ndjson)), ("csv", .samples(.csv)),
        ("svg", .chart),
    ]

    /// Its short name.
    var name: String { Self.names.first { $0.form == self }?.name ?? mediaType }

    var mediaType: String {
        switch self {
        case .samples(let form): form.mediaType
        case .chart: TrackForm.svg.rawValue
        }
    }

    /// The form that `format` names, or else the acceptable form with the highest quality; JSON if
    /// the request has neither `format` nor `Accept`.
    ///
    /// - Throws: `Problem` for an unknown format, and if no form is acceptable.
    init(_ request: Request) throws {
        if let name = request.parameter("format") {
            guard let form = Self.names.first(where: { $0.name == name })?.form else {
                throw Problem.invalidParameter("format", "must be json, ndjson, csv or svg")
            }
            self = form
            return
        }
        guard let accept = request.headers[.accept] else {
            self = .samples(.json)
            return
        }
        guard let best = ContentNegotiation.best(of: accept, { Self(range: $0) }) else {
            let types =
                SampleFormat.allCases.filter { $0 != .senml }.map(\.rawValue)
                + [Self.chart.mediaType]
            throw Problem(
                .notAcceptable,
                "Samples of a session are available as \(types.joined(separator: ", ")).")
        }
        self = best
    }

    private init?(range: String) {
        if range == "image/*" || range == Self.chart.mediaType {
            self = .chart
        } else if let form = SampleFormat(range: range), form != .senml {
            self = .samples(form)
        } else {
            return nil
        }
    }
}
