import API
import Auth
import Dialects
import HTTPTypes
import Hummingbird
import Ingest
import LAE
import NIOCore
import Samples
import Text
import VM

/// OGC SensorThings 1.1, for reading: the sensors that a client may read, as Things with Datastreams.
struct SensorThingsRoutes {
    private static let conformance = [
        "datamodel", "resource-path/resource-path-to-entities", "request-data/order",
        "request-data/expand", "request-data/select", "request-data/status-codes",
        "request-data/query-status-codes", "request-data/orderby", "request-data/top",
        "request-data/skip", "request-data/count", "request-data/filter",
        "request-data/pagination", "data-array/data-array",
    ]

    private let authorizer: RequestAuthorizer
    private let machine: VirtualMachine
    private let engine: AnalyticsEngine

    /// - Parameter authorizer: also accepts, for these routes, the token as a password, because clients of
    ///   SensorThings send nothing else.
    init(authorizer: RequestAuthorizer, machine: VirtualMachine, engine: AnalyticsEngine) {
        var authorizer = authorizer
        authorizer.schemes = [.bearer, .basic]
        (self.authorizer, self.machine, self.engine) = (authorizer, machine, engine)
    }

    func add(to routes: inout RouteTable) {
        routes.on(.sensorThings(), [.get: index])
        for depth in 1...APIPath.sensorThingsDepth {
            routes.on(.sensorThings(depth: depth), [.get: read])
        }
    }

    /// The entity sets, for a client of any kind.
    @Sendable
    private func index(_ request: Request, _ context: ProviderContext) async throws -> Response {
        _ = try await authorizer.client("sensor-things", request, context)
        try request.rejectParameters(except: [])
        let base = request.sensorThingsBase
        let sets = EntityType.allCases.map { type in
            JSONValue([
                "name": JSONValue(type.setName), "url": JSONValue("\(base)/\(type.setName)"),
            ])
        }
        let requirements = Self.conformance.map {
            JSONValue("http://www.opengis.net/spec/iot_sensing/1.1/req/\($0)")
        }
        return .json(
            JSONValue([
                "value": JSONValue(sets),
                "serverSettings": JSONValue(["conformance": JSONValue(requirements)]),
            ]))
    }

    @Sendable
    private func read(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("sensor-things", request, context)
        let segments = (1...APIPath.sensorThingsDepth).compactMap {
            context.decoded(APIPath.sensorThingsParameter($0))
        }
        let query = try SensorThingsQuery(segments, request)
        let catalogue = try await catalogue(for: client, query, request, context)
        let reader = ObservationReader(engine: engine, catalogue: catalogue) { sensor, continues in
            try await authorizer.grant(
                "samples", .raw, of: sensor, request, context, isContinuation: continues,
                isExact: true)
        }
        let writer = SensorThingsWriter(
            base: request.sensorThingsBase, catalogue: catalogue, reader: reader,
            readable: await readable(catalogue.sensors, by: client))
        return try await writer.response(to: query)
    }

    /// The sensors whose samples or statistics a client may read.
    private func catalogue(
        for client: Client, _ query: SensorThingsQuery, _ request: Request,
        _ context: ProviderContext
    ) async throws -> SensorThingsCatalogue {
        let permissions = await authorizer.authority.permissions
        let sensors = await machine.statuses().map(\.sensor).filter { sensor in
            let permission = permissions.permission(of: client, for: sensor.id)
            return permission == .granted || permission == .statistics
        }
        var positions: [SensorID: JSONValue] = [:]
        for sensor in sensors where query.usesLocations && SensorThingsCatalogue.isPosition(sensor)
        {
            guard permissions.permission(of: client, for: sensor.id) == .granted else { continue }
            let grant = try await authorizer.grant(
                "latest", .raw, of: sensor.id, request, context, isExact: true)
            positions[sensor.id] = try await position(grant)
        }
        return SensorThingsCatalogue(sensors, positions: positions)
    }

    /// The newest position; `nil` if there is none, or its receiver was removed.
    private func position(_ grant: Grant) async throws -> JSONValue? {
        let latest: LatestSample
        do throws(LAEError) {
            latest = try await engine.latest(for: grant)
        } catch {
            guard error.code == .unavailable else { throw error }
            return nil
        }
        return latest.samples.first.flatMap {
            SensorThingsCatalogue.point($0, latest.fields)
        }
    }

    private func readable(_ sensors: [Sensor], by client: Client) async -> Set<SensorID> {
        let permissions = await authorizer.authority.permissions
        return Set(
            sensors.map(\.id).filter { permissions.permission(of: client, for: $0) == .granted })
    }
}

/// What a request asks for.
struct SensorThingsQuery {
    let path: ResourcePath
    let options: QueryOptions
    /// The parameters without those that a link to the next page replaces.
    let parameters: [(name: String, value: String)]
    /// The path as it was requested.
    let text: String

    /// - Throws: `Problem` with the part of the request that is wrong.
    init(_ segments: [String], _ request: Request) throws {
        // Clients escape the dollar sign of names, and write spaces as in forms.
        let all: [(name: String, value: String)]
        do throws(PushFault) {
            all = try FormBody.parameters(Array((request.uri.query ?? "").utf8))
        } catch {
            throw Problem.invalidParameter("query", "must be at most 64 parameters in UTF-8")
        }
        do throws(SensorThingsFault) {
            path = try ResourcePath(segments)
            options = try QueryOptions(all, of: path.type)
        } catch {
            if error.part == "path" { throw Problem.notFound("The path: \(error.message).") }
            throw Problem.invalidParameter(error.part, error.message)
        }
        parameters = all.filter { $0.name != "$skip" && $0.name != "$skiptoken" }
        text = request.uri.path
    }

    /// Whether positions are read for it.
    var usesLocations: Bool {
        path.steps.contains { $0.relation.type == .location } || Self.usesLocations(options)
    }

    private static func usesLocations(_ options: QueryOptions) -> Bool {
        options.expansions.contains {
            $0.relation.type == .location || usesLocations($0.options)
        }
    }
}

extension Request {
    /// The URL of the service, as the client wrote the host.
    fileprivate var sensorThingsBase: String {
        "http://\(head.authority ?? "localhost")\(APIPath.sensorThings())"
    }
}

extension Response {
    /// A value without spaces.
    static func json(_ value: JSONValue) -> Response {
        json(ByteBuffer(string: value.line))
    }
}
