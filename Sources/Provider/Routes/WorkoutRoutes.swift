import API
import HTTPTypes
import Hummingbird
import JSApps
import LAE
import NIOCore
import Samples
import Sessions
import Text
import Tracks

/// Export and import of finished sessions.
struct WorkoutRoutes {
    /// The maximum number of points of a file; each is a row of the database.
    private static let pointLimit = 200_000
    /// The maximum number of bytes of a file.
    private static let byteLimit = 64 << 20
    fileprivate static let mediaType = "application/x-plist"

    let authorizer: RequestAuthorizer
    let book: SessionBook
    let reader: SessionRouteReader
    let archive: TrackArchive

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
        try request.rejectParameters(except: ["start", "speed"])
        let missingTimes = try Self.missingTimes(request, now: authorizer.now())
        let form = try ImportForm(request)
        let bytes = try await unpacked(request.bytes(upTo: Self.byteLimit))
        let imports: SessionBook.Imports
        let remarks: [TrackRemark]
        do {
            let workouts: [Workout]
            (workouts, remarks) = try form.read(bytes, missingTimes, limits: Self.limits)
            imports = try await book.add(workouts)
        } catch let error as TrackError {
            throw Problem(.invalidWorkouts, error.message, fix: error.hint)
        }
        let now = authorizer.now()
        return try .json(
            ImportDescription(
                items: imports.made.map { SessionDescription($0, now: now) },
                known: imports.known, remarks: remarks.map(ImportRemark.init)),
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

    /// What happens to tracks without times, by the parameters `start` and `speed`.
    private static func missingTimes(
        _ request: Request, now: Timestamp
    ) throws -> MissingTimes {
        let speed = try request.parameter("speed").map { text in
            guard let speed = Double(decimal: text), speedRange.contains(speed) else {
                throw Problem.invalidParameter("speed", "must be a number of m/s, 0.1 to 300")
            }
            return speed
        }
        if let start = request.parameter("start") {
            return .assumed(
                start: try Request.moment("start", start, now), speed: speed ?? walkingSpeed)
        }
        guard speed == nil else {
            throw Problem.invalidParameter("speed", "needs the parameter start")
        }
        return .omitted
    }

    /// Metres per second.
    private static let speedRange = 0.1...300
    /// The speed of tracks without times, in m/s: 5 km/h, on foot.
    private static let walkingSpeed = 5 / 3.6

    /// The content of a file that may be compressed by gzip, and the document of a KMZ file.
    private func unpacked(_ bytes: [UInt8]) async throws -> [UInt8] {
        var bytes = bytes
        if bytes.starts(with: [0x1F, 0x8B]) {
            do {
                bytes = try Gzip.decompressed(bytes, upTo: Self.byteLimit)
            } catch Gzip.Fault.tooLarge {
                throw Problem(
                    .tooLarge,
                    "The file has more than \(Self.byteLimit) bytes when decompressed.")
            } catch {
                throw Problem(.invalidWorkouts, "The file is not valid gzip.")
            }
        }
        guard bytes.starts(with: Array("PK\u{3}\u{4}".utf8)) else { return bytes }
        return try await archive.document(in: bytes)
    }
}

/// The expected format of an imported file, by the media type of the request.
private enum ImportForm {
    case workouts
    case tracks(TrackFormat)
    /// Recognised by the content.
    case any

    /// Media types that say nothing about the content.
    private static let openTypes = [
        "application/octet-stream", "application/gzip", "application/x-gzip", "application/zip",
        "application/vnd.google-earth.kmz",
    ]

    init(_ request: Request) throws {
        let type = request.mediaType
        if type == WorkoutRoutes.mediaType {
            self = .workouts
        } else if let format = TrackFormat.allCases.first(where: { $0.mediaType == type }) {
            self = .tracks(format)
        } else if let type, Self.openTypes.contains(type) {
            self = .any
        } else {
            let types =
                [WorkoutRoutes.mediaType] + TrackFormat.allCases.map(\.mediaType) + Self.openTypes
            throw Problem(
                .unsupportedMediaType,
                "The types that are accepted are: \(types.joined(separator: ", ")).",
                fix: "Send the header Content-Type: application/octet-stream")
        }
    }

    func read(
        _ bytes: [UInt8], _ missingTimes: MissingTimes, limits: TrackLimits
    ) throws(TrackError) -> (workouts: [Workout], remarks: [TrackRemark]) {
        let format: TrackFormat?
        switch self {
        case .workouts: return (try WorkoutList.workouts(bytes, limits: limits), [])
        case .any where WorkoutList.recognizes(bytes):
            return (try WorkoutList.workouts(bytes, limits: limits), [])
        case .any: format = nil
        case .tracks(let expected): format = expected
        }
        return try Workout.workouts(
            of: TrackFile(bytes, as: format, missingTimes: missingTimes, limits: limits))
    }
}

extension ImportRemark {
    fileprivate init(_ remark: TrackRemark) {
        self.init(
            kind: remark.kind.rawValue, track: remark.track, count: remark.count,
            text: remark.description)
    }
}
