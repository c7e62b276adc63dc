import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import LAE
import NIOCore
import Samples
import VM

/// What sensors there are, and their newest sample.
struct SensorRoutes {
    let door: Door
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

    /// The owner sees every sensor, others those that were decided about for them.
    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("sensors", request, context)
        var items: [SensorDescription] = []
        for status in await machine.statuses() {
            let permission = await door.authority.permission(of: client, for: status.sensor.id)
            guard let permission else { continue }
            let seesNewest = await door.authority.seesNewest(of: status.sensor.id, client)
            items.append(SensorDescription(status, permission, seesNewest: seesNewest))
        }
        return try .json(ItemList(items))
    }

    @Sendable
    private func describe(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("sensor", request, context)
        let name = try request.sensor(context)
        let id = await door.authority.sensor(meantBy: name, by: client)
        let permission = await door.authority.permission(of: client, for: id)
        let isHidden = await door.authority.isPassedOver(id, for: client)
        guard !isHidden, let status = await machine.status(of: id) else {
            throw Problem(unknown: name)
        }
        let seesNewest = await door.authority.seesNewest(of: id, client)
        return try .json(
            SensorDescription(status, permission ?? .prompt, seesNewest: seesNewest))
    }

    @Sendable
    private func latest(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let id = try request.sensor(context)
        let grant = try await door.grant("latest", .raw, of: id, request, context)
        let page = try await engine.latest(for: grant)
        var buffer = ByteBuffer()
        guard let sample = page.samples.first else {
            throw Problem.noSamples(grant.sensor)
        }
        buffer.writeJSON(sample, page.fields)
        return .json(buffer).naming(grant.sensor, asked: id)
    }

    // MARK: - Collection, the owner's

    @Sendable
    private func levels(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("collection", request, context)
        let statuses = await machine.statuses()
        let levels = statuses.map { ($0.sensor.id.description, $0.level.description) }
        return try .json(LevelList(Dictionary(uniqueKeysWithValues: levels)))
    }

    @Sendable
    private func setLevel(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("set-collection", request, context)
        let body = try await request.json(LevelSetting.self)
        guard let level = CollectionLevel(body.level) else {
            throw Problem.invalidBody(
                "level must be off, low, medium, high or a time such as 500ms, 2s, 5m.")
        }
        try await machine.setLevel(level, of: request.sensor(context))
        return try .json(LevelSetting(level.description))
    }

    /// Reads every sensor that is on once, when nothing collects them anyway.
    @Sendable
    private func collectOnce(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await door.owner("collect", request, context)
        if await !machine.status().collecting { await machine.collectOnce() }
        return Response(status: .noContent)
    }
}

extension Problem {
    init(unknown sensor: SensorID) {
        self.init(
            .unknownSensor, "There is no sensor named \(sensor).",
            fix: "List them with: nervous sensors")
    }

    static func noSamples(_ sensor: SensorID) -> Problem {
        Problem(
            .noSamples, "No sample of \(sensor) can be seen yet.",
            fix: "Collect some with: nervous serve")
    }
}
