import API
import Auth
import HTTPTypes
import Hummingbird
import Ingest
import LAE
import NIOCore
import Samples
import VM

/// Readings that other programs push, each program in its own format.
struct PushRoutes {
    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let slots = IntakeSlots()
    /// Limits who may push; `nil` on this machine.
    var localNetwork: LocalNetworkClients?

    /// - Parameter authorizer: also accepts, for these routes, the token schemes that such programs
    ///   use.
    init(authorizer: RequestAuthorizer, machine: VirtualMachine, engine: AnalyticsEngine) {
        var authorizer = authorizer
        authorizer.schemes = [.bearer, .token, .basic]
        self.authorizer = authorizer
        self.machine = machine
        self.engine = engine
    }

    func add(to routes: inout RouteTable) {
        routes.on(.push(.sensorLogger), [.post: sensorLogger])
        routes.on(.push(.ownTracks), [.post: ownTracks])
        routes.on(.push(.osmAnd), [.get: osmAnd, .post: osmAnd])
        routes.on(.push(.overland), [.post: overland])
        routes.on(.push(.influx), [.post: influx])
        routes.on(.push(.influx2), [.post: influx])
        routes.on(.push(.otlp), [.post: metrics])
    }

    @Sendable
    private func sensorLogger(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let delivery = try await phone(request, context, SensorLoggerReader.content)
        return try .json(PushReply(delivery))
    }

    /// OwnTracks reads the answer as a list of the positions of friends, and repeats a refused push.
    @Sendable
    private func ownTracks(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let delivery = try await phone(request, context, OwnTracksReader.content)
        return Self.answer("[]", about: delivery)
    }

    /// Overland deletes a batch only after this answer, and repeats a refused one.
    @Sendable
    private func overland(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let delivery = try await phone(request, context, OverlandReader.content)
        return Self.answer(#"{"result":"ok"}"#, about: delivery)
    }

    /// Parameters of the URL or of a form, or JSON.
    @Sendable
    private func osmAnd(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let isForm = request.mediaType == FormBody.mediaType
        let query = request.uri.queryParameters.map { (name: String($0), value: String($1)) }
        let delivery = try await phone(
            request, context, parameters: Self.osmAndParameters, acceptsForms: true
        ) { bytes, phone throws(PushFault) in
            guard isForm || bytes.isEmpty else { return try OsmAndReader.content(bytes, of: phone) }
            let form = try FormBody.parameters(bytes)
            return try OsmAndReader.content(query + form, of: phone)
        }
        return try .json(PushReply(delivery))
    }

    /// The parameters that Traccar's clients send, besides those of ``OsmAndReader``.
    ///
    /// Others are rejected, as everywhere: a token in a URL must not go unnoticed.
    private static let osmAndParameters: Set<Substring> = [
        "id", "deviceid", "lat", "lon", "location", "timestamp", "altitude", "speed", "speedUnit",
        "bearing", "heading", "accuracy", "hdop", "batt", "charge", "valid", "alarm", "mock",
        "driverUniqueId", "event", "hacc", "vacc",
    ]

    /// A fixed answer, with what was refused and dropped in its header.
    private static func answer(_ text: String, about delivery: PushDelivery) -> Response {
        var response = Response.json(ByteBuffer(string: text))
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

    fileprivate func client(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Client {
        guard let localNetwork else {
            return try await authorizer.client("push", request, context)
        }
        return try await localNetwork.admit(context.ends?.remote) { () throws(AuthError) in
            try await authorizer.client("push", request, context)
        }
    }

    private typealias Reader = ([UInt8], String) throws(PushFault) -> PushedContent

    /// Accepts the readings of one phone.
    private func phone(
        _ request: Request, _ context: ProviderContext, parameters: Set<Substring> = [],
        acceptsForms: Bool = false, _ read: Reader
    ) async throws -> PushDelivery {
        let client = try await client(request, context)
        try request.rejectParameters(
            except: parameters.union(["device"]),
            repeating: acceptsForms ? ["cell", "wifi"] : [])
        let phone = request.parameter("device") ?? client.name
        guard let id = SensorID(phone), id == id.kind else {
            throw Problem.invalidParameter("device", "must be a name in kebab-case, such as ann")
        }
        if !acceptsForms || request.mediaType != FormBody.mediaType { try request.checkJSON() }
        var (content, delivery) = try await PushBody.read(
            request, slots: slots, client: client
        ) { bytes in
            let delivery = PushDelivery(
                bytes, authorizer: authorizer, engine: engine, request, context)
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
        let client = try await client(request, context)
        try request.rejectParameters(
            except: ["precision", "bucket", "org", "orgID", "db", "rp", "consistency"])
        let precision = try request.parameter("precision").map { text in
            guard let precision = TimePrecision(text) else {
                throw Problem.invalidParameter("precision", "must be ns, us, ms, s, m or h")
            }
            return precision
        }
        var (content, delivery) = try await PushBody.read(
            request, slots: slots, client: client
        ) { bytes in
            let delivery = PushDelivery(
                bytes, authorizer: authorizer, engine: engine, request, context)
            let content = try LineProtocolReader.content(
                bytes, precision: precision ?? .nanoseconds)
            return (content, delivery)
        }
        content.faults.forEach { delivery.note($0) }
        try await delivery.deliver(
            try await readings(content.points, of: client, noting: &delivery))
        guard delivery.faultCount > 0 else { return Response(status: .noContent) }
        if let problem = delivery.problem, content.faults.isEmpty { throw problem }
        var response = try Response.json(PartialWrite(delivery), status: .badRequest)
        response.headers[.contentType] = "application/problem+json"
        return response
    }

    private func readings(
        _ points: [LinePoint], of client: Client, noting delivery: inout PushDelivery
    ) async throws(AuthError) -> [PushedReading] {
        let records = try await authorizer.authority.records(for: client)
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

// MARK: - OpenTelemetry

extension PushRoutes {
    @Sendable
    fileprivate func metrics(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let client = try await client(request, context)
        try request.rejectParameters(except: [])
        guard request.mediaType ?? "application/json" == "application/json" else {
            throw Problem(
                .unsupportedMediaType, "Metrics are accepted as application/json.",
                fix: "Set OTEL_EXPORTER_OTLP_PROTOCOL=http/json")
        }
        var (content, delivery) = try await PushBody.read(
            request, slots: slots, client: client
        ) { bytes in
            let delivery = PushDelivery(
                bytes, authorizer: authorizer, engine: engine, request, context)
            return (try MetricsReader.content(bytes), delivery)
        }
        let records = await authorizer.authority.permissions.records(of: client.name)
        var intake = MetricIntake(
            LineTargets(client, records, machine: machine), machine: machine,
            arrival: authorizer.now())
        intake.note(content)
        for point in content.points { await intake.add(point) }
        try await delivery.deliver(intake.takeReadings())
        if let problem = delivery.problem, content.rejected.isEmpty { throw problem }
        return try .json(intake.reply(about: delivery))
    }
}

/// Resolves each line of line protocol to a sensor.
struct LineTargets {
    /// The maximum number of measurements of one body.
    private static let maximumKinds = 64

    private let machine: VirtualMachine
    /// The sensors that the client may publish to; `nil` for the owner, who may publish to all.
    private let writable: [SensorID]?
    private var known: [SensorID: Set<SensorID>] = [:]

    /// - Parameter records: the decisions about the client.
    init(_ client: Client, _ records: [PermissionRecord], machine: VirtualMachine) {
        self.machine = machine
        writable =
            client.kind == .owner
            ? nil
            : records.filter { $0.state == .granted && $0.privilege.access == .write }
                .compactMap(\.privilege.sensor)
    }

    /// The first candidate of the point that exists and that the client may publish to; otherwise
    /// the sensor that the measurement names.
    ///
    /// Sensors of which the client has no grant are treated as missing, so that the answer does not reveal
    /// them. Fails with `unknownName` if the measurement is not an identifier, or
    /// `tooManySensors`.
    mutating func target(of point: LinePoint) async -> Result<SensorID, DropReason> {
        guard let kind = point.kind else { return .failure(.unknownName) }
        guard let choice = await existing(of: kind) else { return .failure(.tooManySensors) }
        guard !choice.isEmpty, choice != [kind] else { return .success(kind) }
        return .success(point.sensors.first(where: choice.contains) ?? kind)
    }

    /// The sensors of a kind that exist and that the client may publish to; `nil` if there are too many
    /// kinds.
    mutating func existing(of kind: SensorID) async -> Set<SensorID>? {
        if let choice = known[kind] { return choice }
        guard known.count < Self.maximumKinds else { return nil }
        let choice = Set(await machine.instances(of: kind).filter(isWritable))
        known[kind] = choice
        return choice
    }

    private func isWritable(_ id: SensorID) -> Bool {
        writable?.contains { $0.covers(id) } ?? true
    }
}
