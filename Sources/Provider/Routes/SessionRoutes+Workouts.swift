import API
import HTTPTypes
import Hummingbird
import LAE
import NIOCore
import Samples
import Sessions
import Tracks

/// Sessions that have ended, to a file and from one.
extension SessionRoutes {
    /// The most points of a file, which become rows of the book.
    private static let pointLimit = 200_000
    /// The most bytes of a file.
    private static let byteLimit = 64 << 20
    private static let mediaType = "application/x-plist"

    private static var limits: TrackLimits {
        var limits = TrackLimits()
        (limits.points, limits.bytes) = (pointLimit, byteLimit)
        return limits
    }

    @Sendable
    func exportWorkouts(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("workouts", request, context)
        try request.refuseParameters(besides: ["session"])
        var workouts: [Workout] = []
        var damage: [TimeRange] = []
        var points = 0
        for record in try await ended(request.parameter("session")) {
            let (route, found) = try await route(of: record, request, context)
            damage = (damage + found).joined
            points += route.points.count
            guard points <= Self.pointLimit, workouts.count < WorkoutList.limit else {
                throw Problem(
                    .tooManyRows, "The routes have more than \(Self.pointLimit) points.",
                    fix: "Name one session at a time, with the parameter session.")
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
    func importWorkouts(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("import-workouts", request, context)
        try request.refuseParameters(besides: [])
        let read = try Self.reader(of: request)
        let bytes = try await request.bytes(upTo: Self.byteLimit)
        let imports: SessionBook.Imports
        do {
            imports = try await book.add(read(bytes))
        } catch let error as TrackError {
            throw Problem(
                .invalidWorkouts, error.message)
        }
        let now = door.now()
        return try .json(
            ImportDescription(
                items: imports.made.map { SessionDescription($0, now: now) }, known: imports.known),
            status: imports.made.isEmpty ? .ok : .created)
    }

    // MARK: - Private

    /// The sessions that have ended, the newest first, or the one that is named.
    private func ended(_ id: String?) async throws -> [SessionRecord] {
        if let id {
            let record = try await book.record(id)
            guard record.session.isFinished else {
                throw Problem(
                    .wrongState, "Only a session that has ended is a workout.")
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

    /// Its route, or none where it has no sensor that tells places.
    private func route(
        of record: SessionRecord, _ request: Request, _ context: ProviderContext
    ) async throws -> (RouteRecord, [TimeRange]) {
        do {
            return try await told(record, request, context)
        } catch let problem as Problem
            where
            [.notFound, .unknownSensor, .unknownField].contains(problem.code)
        {
            return (try RouteRecord(segments: [], distance: 0), [])
        } catch let error as LAEError where [.unavailable, .unknownSensor].contains(error.code) {
            return (try RouteRecord(segments: [], distance: 0), [])
        }
    }

    /// What reads the body, by its type.
    private static func reader(
        of request: Request
    ) throws -> ([UInt8]) throws(TrackError) -> [Workout] {
        let type = request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        switch type {
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
                    + " \(TrackForm.geoJSON.rawValue) are taken here.")
        }
    }

    private static func workouts(of tracks: [Track]) throws(TrackError) -> [Workout] {
        var workouts: [Workout] = []
        for track in tracks { workouts.append(try Workout(track)) }
        return workouts
    }
}
