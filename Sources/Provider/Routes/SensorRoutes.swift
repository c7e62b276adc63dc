import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import Ingest
import LAE
import NIOCore
import Samples
import VM

/// Sensors, their newest samples, and their levels.
struct SensorRoutes {
    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let engine: AnalyticsEngine

    func add(to routes: inout RouteTable) {
        routes.on(.sensors, [.get: list])
        routes.on(
            .sensor("{sensor}"), [.get: describe, .put: declare, .delete: withdraw])
        routes.on(.latest(of: "{sensor}"), [.get: latest])
        routes.on(.collection, [.get: levels, .post: collectOnce])
        routes.on(.level(of: "{sensor}"), [.put: setLevel])
    }

    /// All sensors for the owner; for another client, those that a decision about this client covers.
    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("sensors", request, context)
        var items: [SensorDescription] = []
        for status in await machine.statuses() {
            let permissions = await authorizer.authority.permissions
            guard let permission = permissions.permission(of: client, for: status.sensor.id)
            else { continue }
            let seesNewest = permissions.seesNewest(of: status.sensor.id, client)
            items.append(SensorDescription(status, permission, seesNewest: seesNewest))
        }
        return try .json(ItemList(items))
    }

    @Sendable
    private func describe(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("sensor", request, context)
        let name = try request.sensor(context)
        let permissions = await authorizer.authority.permissions
        let candidates = permissions.candidates(
            of: name, by: client, among: await machine.readable(named: name))
        guard candidates.count == 1, let id = candidates.first else {
            throw Problem(AuthError(several: candidates, named: name, for: client))
        }
        let permission = permissions.permission(of: client, for: id)
        let isHidden = permissions.isExcluded(id, for: client)
        guard !isHidden, let status = await machine.status(of: id) else {
            throw Problem(unknown: name)
        }
        let seesNewest = permissions.seesNewest(of: id, client)
        return try .json(
            SensorDescription(status, permission ?? .prompt, seesNewest: seesNewest))
    }

    @Sendable
    private func latest(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let id = try request.sensor(context)
        let grant = try await authorizer.grant("latest", .raw, of: id, request, context)
        let latest = try await engine.latest(for: grant)
        guard let sample = latest.samples.first else {
            throw Problem.noSamples(grant.sensor)
        }
        var response: Response
        switch LatestForm(accept: request.headers[.accept]) {
        case .object:
            var buffer = ByteBuffer()
            buffer.writeJSON(sample, latest.fields, freshness: latest.freshness)
            response = .json(buffer)
        case .senml:
            guard let batch = SampleBatch([sample.sample], of: latest.fields) else {
                throw Problem.noSamples(grant.sensor)
            }
            response = try .senml(batch, latest.fields, of: grant.sensor)
        }
        response.headers[.vary] = "Accept"
        return response.naming(grant.sensor, requested: id)
    }

    // MARK: - Declarations, for the owner

    @Sendable
    private func declare(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("declare-sensor", request, context)
        let id = try request.sensor(context)
        let sensor = try await sensor(id, try await request.json(SensorRequest.self))
        let isNew = try await machine.declare(sensor)
        guard let status = await machine.status(of: id) else { throw Problem(unknown: id) }
        var response = try Response.json(
            SensorDescription(status, .granted, seesNewest: true), status: isNew ? .created : .ok)
        if isNew { response.headers[.location] = APIPath.sensor(id.description).description }
        return response
    }

    private func sensor(_ id: SensorID, _ body: SensorRequest) async throws -> Sensor {
        switch body {
        case .published(let body):
            return try Sensor(
                declared: id, title: body.title ?? id.description,
                fields: body.fields.map { Field($0.name, unit: $0.unit, kind: $0.kind ?? .number) })
        case .virtual(let body):
            guard body.name == nil || body.name == id.description else {
                throw Problem.invalidBody("The name differs from that in the path.")
            }
            return try await engine.virtualSensor(
                id, title: body.title ?? id.description, body.derivation)
        }
    }

    @Sendable
    private func withdraw(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("withdraw-sensor", request, context)
        try await machine.withdraw(request.sensor(context))
        return Response(status: .noContent)
    }

    // MARK: - Levels, for the owner

    @Sendable
    private func levels(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("collection", request, context)
        let statuses = await machine.statuses()
        let levels = statuses.map { ($0.sensor.id.description, $0.level.description) }
        return try .json(LevelList(Dictionary(uniqueKeysWithValues: levels)))
    }

    @Sendable
    private func setLevel(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("set-collection", request, context)
        let body = try await request.json(LevelSetting.self)
        guard let level = CollectionLevel(body.level) else {
            throw Problem.invalidBody(
                "level must be off, low, medium, high, auto or a duration such as 500ms, 2s, 5m.")
        }
        try await machine.setLevel(level, of: request.sensor(context))
        return try .json(LevelSetting(level.description))
    }

    /// Reads all sensors that are on, once each, unless the host collects.
    @Sendable
    private func collectOnce(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await authorizer.owner("collect", request, context)
        if await !machine.status().collecting { await machine.collectOnce() }
        return Response(status: .noContent)
    }
}

extension Response {
    /// A pack of SenML.
    fileprivate static func senml(
        _ batch: SampleBatch, _ fields: [Field], of sensor: SensorID
    ) throws -> Response {
        try batch.checkTimes(of: .senml)
        var writer = SampleWriter(.senml, fields: fields, of: sensor)
        writer.begin()
        writer.write(batch, rows: batch.indices)
        writer.end()
        return Response(
            status: .ok, headers: [.contentType: SampleFormat.senml.mediaType],
            body: .init(byteBuffer: writer.take { ByteBuffer(bytes: $0) }))
    }
}

extension SampleBatch {
    /// - Throws: `Problem` for times that a form cannot express.
    func checkTimes(of form: SampleFormat) throws {
        guard form == .senml, !hasSenMLTimes else { return }
        throw Problem(
            .notAcceptable, "SenML has no times before 1978-07-04T21:24:16Z.",
            fix: "Use the parameter from, or another form such as Accept: application/x-ndjson")
    }
}

extension Problem {
    init(unknown sensor: SensorID) {
        let error = VirtualMachineError.unknownSensor(sensor)
        self.init(.unknownSensor, error.message, fix: error.hint)
    }

    static func noSamples(_ sensor: SensorID) -> Problem {
        Problem(
            .noSamples, "\(sensor) has no sample that this client may read.",
            fix: "Collect some with: nervous serve")
    }
}
