import API
import HTTPTypes
import Hummingbird
import LAE
import NIOCore
import Samples
import Sessions
import Tracks

/// Export and import of finished sessions.
struct WorkoutRoutes {
    /// The maximum number of points of a file; each is a row of the database.
    private static let pointLimit = 200_000
    /// The maximum number of bytes of a file.
    private static let byteLimit = 64 << 20
    private static let mediaType = "application/x-plist"

    let authorizer: RequestAuthorizer
    let book: SessionBook
    let reader: SessionRouteReader

    private static var limits: TrackLimits {
        var limits = TrackLimits()
        (limits.points, limits.bytes) = (pointLimit, byteLimit)
        return limits
    }

    func add(to routes: inout RouteTable) {
        routes.on(.workouts, [.get: exportWorkouts, .post: importWorkouts])
    }

    @Sendable
    private func exportWorkouts(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await authorizer.owner("workouts", request, context)
        try request.rejectParameters(except: ["session"])
        var workouts: [Workout] = []
        var damage: [TimeRange] = []
        var points = 0
        for record in try await finished(request.parameter("session")) {
            let (route, found) = try await route(of: record, request, context)
            damage = (damage + found).joined
            points += route.points.count
            guard points <= Self.pointLimit, workouts.count < WorkoutList.limit else {
                throw Problem(
                    .tooManyRows,
                    "The routes have more than \(Self.pointLimit) points, or there are more than"
                        + " \(WorkoutList.limit) sessions.",
                    fix: "Export one session at a time, with the parameter session.")
            }
            do {
                workouts.append(
                    try Workout(
                        id: record.session.id, record.session.draft, spans: record.session.spans,
                        route: route))
            } catch {
                throw SessionsError(error)
            }
        }
        var response = Response(
            status: .ok, headers: [.contentType: Self.mediaType],
            body: .init(byteBuffer: ByteBuffer(string: WorkoutList.text(workouts))))
        response.headers[.damaged] = damage.damageField
        return response
    }

    @Sendable
    private func importWorkouts(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await authorizer.owner("import-workouts", request, context)
        try request.rejectParameters(except: [])
        let read = try Self.reader(of: request)
        let bytes = try await request.bytes(upTo: Self.byteLimit)
        let imports: SessionBook.Imports
        do {
            imports = try await book.add(read(bytes))
        } catch let error as TrackError {
            throw Problem(.invalidWorkouts, error.message)
        }
        let now = authorizer.now()
        return try .json(
            ImportDescription(
                items: imports.made.map { SessionDescription($0, now: now) }, known: imports.known),
            status: imports.made.isEmpty ? .ok : .created)
    }

    // MARK: - Private

    /// The named session, or all finished sessions, the newest first.
    private func finished(_ id: String?) async throws -> [SessionRecord] {
        if let id {
            let record = try await book.record(id)
            guard record.session.isFinished else {
                throw Problem(.wrongState, "The session is not finished.")
            }
            return [record]
        }
        var records: [SessionRecord] = []
        var next: String?
        repeat {
            let page = try await book.page(after: next, limit: 1000)
            records += page.records.filter(\.session.isFinished)
            next = page.next
        } while next != nil
        return records
    }

    /// The route of a session; an empty one if no location sensor can be read.
    private func route(
        of record: SessionRecord, _ request: Request, _ context: ProviderContext
    ) async throws -> (RouteRecord, [TimeRange]) {
        do {
            return try await reader.route(of: record, request, context)
        } catch {
            let codes: [ProblemCode] = [
                .notFound, .unknownSensor, .unknownField, .sensorUnavailable,
            ]
            guard error is Problem || error is LAEError,
                let code = Problem(error, logger: nil).code, codes.contains(code)
            else { throw error }
            return (try RouteRecord(segments: [], distance: 0), [])
        }
    }

    /// The reader of the body's media type.
    private static func reader(
        of request: Request
    ) throws -> ([UInt8]) throws(TrackError) -> [Workout] {
        switch request.mediaType {
        case mediaType:
            return { bytes throws(TrackError) in
                try WorkoutList.workouts(bytes, limits: limits)
            }
        case TrackForm.gpx.rawValue:
            return { bytes throws(TrackError) in
                try workouts(of: GPXReader.tracks(bytes, limits: limits))
            }
        case TrackForm.geoJSON.rawValue:
            return { bytes throws(TrackError) in
                try workouts(of: GeoJSONReader.tracks(bytes, limits: limits))
            }
        default:
            throw Problem(
                .unsupportedMediaType,
                "Only \(mediaType), \(TrackForm.gpx.rawValue) and"
                    + " \(TrackForm.geoJSON.rawValue) are accepted.")
        }
    }

    private static func workouts(of tracks: [Track]) throws(TrackError) -> [Workout] {
        var workouts: [Workout] = []
        for track in tracks { workouts.append(try Workout(track)) }
        return workouts
    }
}
