import API
import Auth
import HTTPTypes
import Hummingbird
import Ingest
import LAE
import NIOCore
import Samples
import VM

/// Readings that apps and programs of others push, each in its own form.
struct PushRoutes {
    let door: Door
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let places = IntakePlaces()

    /// - Parameter door: the tokens of these calls are taken in the ways that such apps know, too.
    init(door: Door, machine: VirtualMachine, engine: AnalyticsEngine) {
        var door = door
        door.schemes = [.bearer, .token, .basic]
        self.door = door
        self.machine = machine
        self.engine = engine
    }

    func add(to routes: inout RouteTable) {
        routes.on(.push(.sensorLogger), [.post: sensorLogger])
        routes.on(.push(.ownTracks), [.post: ownTracks])
        routes.on(.push(.influx), [.post: influx])
        routes.on(.push(.influx2), [.post: influx])
    }

    @Sendable
    private func sensorLogger(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let delivery = try await phone(request, context, SensorLoggerReader.content)
        return try .json(PushReply(delivery))
    }

    /// The app takes the answer for a list of what others told it, and sends again what is refused.
    @Sendable
    private func ownTracks(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let delivery = try await phone(request, context, OwnTracksReader.content)
        var response = Response.json(ByteBuffer(string: "[]"))
        if !delivery.refused.isEmpty {
            response.headers[.refused] = delivery.refused.map(\.sensor.description)
                .joined(separator: ", ")
        }
        if !delivery.dropped.isEmpty {
            response.headers[.dropped] = delivery.dropped.map { "\($0.key.rawValue)=\($0.value)" }
                .sorted().joined(separator: ", ")
        }
        return response
    }

    private typealias Reader = ([UInt8], String) throws(PushFault) -> PushedContent

    /// Takes what one phone sends.
    private func phone(
        _ request: Request, _ context: ProviderContext, _ read: Reader
    ) async throws -> PushDelivery {
        let client = try await door.client("push", request, context)
        try request.refuseParameters(besides: ["device"])
        let phone = request.parameter("device") ?? client.name
        guard let id = SensorID(phone), id == id.kind else {
            throw Problem.invalidParameter("device", "a name in kebab-case is needed, such as ann")
        }
        try request.checkJSON()
        var (content, delivery) = try await PushBody.taken(
            request, places: places, client: client.name
        ) { bytes in
            let delivery = PushDelivery(bytes, door: door, engine: engine, request, context)
            return (try read(bytes, phone), delivery)
        }
        delivery.dropped = content.dropped
        try await delivery.deliver(content.readings)
        if let problem = delivery.problem { throw problem }
        return delivery
    }

    // MARK: - InfluxDB

    @Sendable
    private func influx(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("push", request, context)
        try request.refuseParameters(
            besides: ["precision", "bucket", "org", "orgID", "db", "rp", "consistency"])
        let precision = try request.parameter("precision").map { text in
            guard let precision = TimePrecision(text) else {
                throw Problem.invalidParameter("precision", "ns, us, ms, s, m or h is needed")
            }
            return precision
        }
        var (content, delivery) = try await PushBody.taken(
            request, places: places, client: client.name
        ) { bytes in
            let delivery = PushDelivery(bytes, door: door, engine: engine, request, context)
            let content = try LineProtocolReader.content(
                bytes, precision: precision ?? .nanoseconds)
            return (content, delivery)
        }
        content.faults.forEach { delivery.note($0) }
        try await delivery.deliver(
            await readings(content.points, of: client, noting: &delivery))
        guard delivery.faultCount > 0 else { return Response(status: .noContent) }
        if let problem = delivery.problem, content.faults.isEmpty { throw problem }
        var response = try Response.json(PartialWrite(delivery), status: .badRequest)
        response.headers[.contentType] = "application/problem+json"
        return response
    }

    private func readings(
        _ points: [LinePoint], of client: Client, noting delivery: inout PushDelivery
    ) async -> [PushedReading] {
        let records = await door.authority.records(of: client.name)
        var targets = LineTargets(client, records, machine: machine)
        var readings: [PushedReading] = []
        for point in points {
            switch await targets.target(of: point) {
            case .success(let sensor):
                readings.append(PushedReading(sensor, point.reading, line: point.line))
            case .failure(let reason): delivery.drop(reason, line: point.line)
            }
        }
        return readings
    }
}
